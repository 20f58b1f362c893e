// Sixteen bytes per thread and access, the row found by a multiplication.
//
// What changed: as in packed 02: all vectors are numbered, three loads of a thread are in flight, two stores follow.
// Limit: the memory.
#include "ops/elementwise/swiglu/gradient.cuh"
#include "ops/elementwise/swiglu/halves.cuh"

namespace warpath::swiglu {
namespace {

template <int N, class T>
__global__ void __launch_bounds__(threads<T>) backward(const T* x, const T* dy, T* dx, Rows rows) {
  constexpr int steps = lanes_of_16<T> / N;
  Place at[steps];
  Vector<T, N> gate[steps], up[steps], d[steps];
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    at[s] = place<N>(rows, (blockIdx.x * steps + s) * threads<T> + threadIdx.x);
    gate[s] = load_kept<N>(x + at[s].gate, at[s].there);
    up[s] = load_kept<N>(x + at[s].gate + rows.cols, at[s].there);
    d[s] = load_kept<N>(dy + at[s].y, at[s].there);
  }
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    float both[2][N];
#pragma unroll
    for (int k = 0; k < N; ++k)
      pointwise::put(
          both, k,
          Gradient{}(to_float(gate[s].at[k]), to_float(up[s].at[k]), to_float(d[s].at[k])));
    if (!at[s].there) continue;
    store<N>(dx + at[s].gate, pointwise::round_all<T>(both[0]));
    store<N>(dx + at[s].gate + rows.cols, pointwise::round_all<T>(both[1]));
  }
}

void launch(const PackedBackward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dy.shape[0], cols = args.dy.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *x = args.x.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    const auto run = [&](auto width, const Rows& piece, unsigned blocks, std::int64_t first) {
      backward<decltype(width)::value><<<blocks, threads<T>, 0, stream>>>(
          x + first * 2 * cols, dy + first * cols, dx + first * 2 * cols, piece);
    };
    by_pieces<T>(rows, cols, run, x, dy, dx);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const PackedBackward& args) {
  return args.dy.shape[1] <= longest_row ? "" : "rows of more than 2^30 elements";
}

WARPATH_RUNG(PackedBackward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::swiglu
