// The row lives in registers: sixteen bytes per load, every element read once, written once, one
// exp each.
//
// What changed: a thread keeps its elements from load to store, 32 at most, so nothing is read
// again. A row gets as many threads as it needs: a warp up to 512 elements, up to 1024 threads
// beyond (row.cuh). A thread computes its exponentials relative to its own maximum at once, and
// scales them when the row's maximum is known: one exp per element, one barrier per row. Rows over
// 32768 elements do not fit one block's registers and are read twice, as in 04.
// Limit: the memory, for rows up to 32768; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/row.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int threads = 1024;

template <class T, int N>
__global__ void __launch_bounds__(threads) long_row(const T* x, T* y, std::int64_t cols) {
  constexpr int items = 8 / N;
  using Part = RowPart<T, N, items, threads>;
  __shared__ Stat slots[threads / 32];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  Stat mine = nothing();
  for (std::int64_t first = 0; first < cols; first += Part::size) {
    const ForwardPart<T, N, items, threads> part(x + first, Part::inside(cols - first),
                                                 threadIdx.x);
    mine = join(mine, part.own);
  }
  const Stat row = block_join<threads>(mine, slots);
  for (std::int64_t first = 0; first < cols; first += Part::size) {
    const ForwardPart<T, N, items, threads> part(x + first, Part::inside(cols - first),
                                                 threadIdx.x);
    part.store(y + first, threadIdx.x, row);
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    const auto by_width = [&](auto width) {
      long_row<T, decltype(width)::n><<<grid_x(rows, 1), threads, 0, stream>>>(x, y, cols);
    };
    if (cols <= longest_block_row)
      launch_row_forward(x, y, rows, cols, stream);
    else
      with_cut<T>(by_width, x, y);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
