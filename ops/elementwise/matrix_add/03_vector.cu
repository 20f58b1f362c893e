// Sixteen bytes per thread and access along the rows; a matrix without gaps is one long vector.
//
// What changed: a thread adds 4 floats or 8 halves of one row. That needs rows that start at 16-byte boundaries: a pitch that
// is a multiple of 16 bytes, which is why cudaMallocPitch pads rows. Where no matrix has gaps, rows do not matter at all: the
// whole is one vector of rows * cols elements, of any alignment (pointwise.cuh). Rows with gaps and an odd length are added
// element by element, four per thread.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/matrix_add/grid.cuh"
#include "ops/elementwise/pointwise.cuh"

namespace warpath::matrix_add {
namespace {

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// A thread has `Steps` vectors of N elements, one block's width apart: all loads come before the first store. Pitches and
// columns are counted in vectors, so that nvcc sees that every address is aligned; otherwise it split the stores in four.
template <int N, int Steps, class T>
__global__ void __launch_bounds__(256)
    vectors(const T* a, const T* b, T* c, std::int64_t a_pitch, std::int64_t b_pitch,
            std::int64_t rows, std::int64_t cols) {
  const std::int64_t first = std::int64_t(blockIdx.x) * Steps * 32 + threadIdx.x;
  for (std::int64_t row = std::int64_t(blockIdx.y) * 8 + threadIdx.y; row < rows;
       row += std::int64_t(gridDim.y) * 8) {
    Vector<T, N> left[Steps], right[Steps];
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const std::int64_t col = first + s * 32;
      left[s] = load_kept<N>(a + (row * a_pitch + col) * N, col < cols);
      right[s] = load_kept<N>(b + (row * b_pitch + col) * N, col < cols);
    }
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const std::int64_t col = first + s * 32;
      float sums[N];
#pragma unroll
      for (int k = 0; k < N; ++k) sums[k] = to_float(left[s].at[k]) + to_float(right[s].at[k]);
      if (col < cols) store<N>(c + (row * cols + col) * N, pointwise::round_all<T>(sums));
    }
  }
}

template <class T>
void launch_typed(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.c.shape[0], cols = args.c.shape[1];
  const Matrix<const T> a = matrix<T>(args.a), b = matrix<T>(args.b);
  T* c = args.c.as<T>();
  if (args.a.is_contiguous() && args.b.is_contiguous())
    return pointwise::launch(Add{}, c, rows * cols, stream, a.data, b.data);
  const auto run = [&](auto width, auto steps) {
    constexpr int N = decltype(width)::value, S = decltype(steps)::value;
    const std::int64_t vectors_per_row = cols / N;
    const dim3 block(32, 8), grid = grid_of(ceil_div(vectors_per_row, S), rows, block);
    vectors<N, S><<<grid, block, 0, stream>>>(a.data, b.data, c, a.pitch / N, b.pitch / N, rows,
                                              vectors_per_row);
  };
  const auto whole = [](std::int64_t n) { return n % lanes_of_16<T> == 0; };
  if (whole(a.pitch) && whole(b.pitch) && whole(cols) && all_aligned(16, a.data, b.data, c))
    run(std::integral_constant<int, lanes_of_16<T>>{}, std::integral_constant<int, 1>{});
  else
    run(std::integral_constant<int, 1>{}, std::integral_constant<int, 4>{});
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.c.size() == 0) return;
  dispatch_float(args.c.dtype,
                 [&](auto tag) { launch_typed<typename decltype(tag)::type>(args, stream); });
  CUDA_CHECK(cudaGetLastError());
}

std::string neighbours(const Args& args) {
  const auto in_rows = [](const Tensor& t) { return t.shape[1] <= 1 || t.stride[1] == 1; };
  return in_rows(args.a) && in_rows(args.b) ? "" : "columns that are not neighbours in memory";
}

WARPATH_RUNG(Args, launch, .supports = neighbours);

}  // namespace
}  // namespace warpath::matrix_add
