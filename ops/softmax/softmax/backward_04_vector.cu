// Both rows live in registers: sixteen bytes per load, every element read once.
//
// What changed: a thread keeps its elements of y and of dy from load to store, 32 at most of each
// (row.cuh), with one warp or several per row. Rows over 32768 elements do not fit one block's
// registers and are read twice.
// Limit: the memory, for rows up to 32768; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/row.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int threads = 1024;

template <class T, int N>
__global__ void __launch_bounds__(threads)
    long_row(const T* y, const T* dy, T* dx, std::int64_t cols) {
  using Part = BackwardPart<T, N, 8 / N, threads>;
  __shared__ float slots[threads / 32];
  const std::int64_t row = blockIdx.x * cols;
  float mine = 0;
  for (std::int64_t first = 0; first < cols; first += Part::Part::size) {
    const Part part(y + row + first, dy + row + first, Part::Part::inside(cols - first),
                    threadIdx.x);
    mine += part.own;
  }
  const float dot = block_reduce<threads>(mine, Sum{}, slots);
  for (std::int64_t first = 0; first < cols; first += Part::Part::size) {
    const Part part(y + row + first, dy + row + first, Part::Part::inside(cols - first),
                    threadIdx.x);
    part.store(dx + row + first, threadIdx.x, dot);
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    const auto by_width = [&](auto width) {
      long_row<T, decltype(width)::n><<<grid_x(rows, 1), threads, 0, stream>>>(y, dy, dx, cols);
    };
    if (cols <= longest_block_row)
      launch_row_backward(y, dy, dx, rows, cols, stream);
    else
      with_cut<T>(by_width, y, dy, dx);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::softmax
