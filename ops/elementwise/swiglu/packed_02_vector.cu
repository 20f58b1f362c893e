// Sixteen bytes per thread and access, the row found by a multiplication.
//
// What changed: the vectors of all rows are numbered, so that short rows fill blocks too. A vector's row is its number
// over the vectors per row; a division takes some thirty instructions, a product with a factor computed on the host three
// (halves.cuh). Where rows do not start at 16-byte boundaries a thread moves single elements, and all its loads are
// issued before its first store. A few rows are over before the next launch, so that launches overlap.
// Limit: the memory.
#include "core/host/dependent_launch.cuh"
#include "core/ptx/grid_order.cuh"
#include "ops/elementwise/sigmoid.cuh"
#include "ops/elementwise/swiglu/halves.cuh"

namespace warpath::swiglu {
namespace {

template <int N, class T>
__global__ void __launch_bounds__(threads<T>) forward(const T* x, T* y, Rows rows) {
  constexpr int steps = lanes_of_16<T> / N;
  ptx::let_next_grid_start();
  ptx::wait_for_grids_before();
  Place at[steps];
  Vector<T, N> gate[steps], up[steps];
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    at[s] = place<N>(rows, (blockIdx.x * steps + s) * threads<T> + threadIdx.x);
    gate[s] = load_kept<N>(x + at[s].gate, at[s].there);
    up[s] = load_kept<N>(x + at[s].gate + rows.cols, at[s].there);
  }
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    float values[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const float g = to_float(gate[s].at[k]);
      values[k] = g * pointwise::sigmoid(g) * to_float(up[s].at[k]);
    }
    if (at[s].there) store<N>(y + at[s].y, pointwise::round_all<T>(values));
  }
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    const auto run = [&](auto width, const Rows& piece, unsigned blocks, std::int64_t first) {
      const DependentLaunch launch{blocks, threads<T>, 0, stream, DependentLaunch::pays(blocks)};
      launch(forward<decltype(width)::value, T>, x + first * 2 * cols, y + first * cols, piece);
    };
    by_pieces<T>(rows, cols, run, x, y);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Packed& args) {
  return args.y.shape[1] <= longest_row ? "" : "rows of more than 2^30 elements";
}

WARPATH_RUNG(Packed, launch, .supports = fits);

}  // namespace
}  // namespace warpath::swiglu
