// Maximum and sum in one pass over the row: the online softmax.
//
// What changed: a running sum is kept relative to the running maximum, and scaled down whenever a
// larger element is found; two such pairs can be joined (softmax_stat.cuh). So x is read twice instead of
// three times, and a row needs one reduction instead of two. A block of 256 threads takes a row, so
// long rows have enough loads in flight.
// Limit: the second read of x, one element per load, and an extra exp for every element.
#include "core/block/softmax_stat.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) online(const T* x, T* y, std::int64_t cols) {
  __shared__ Stat slots[threads / 32];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  Stat mine = nothing();
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) mine = include(mine, to_float(x[c]));
  const Stat row = block_join<threads>(mine, slots);
  const float inverse = 1.0f / row.sum;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads)
    y[c] = from_float<T>(exp_from(to_float(x[c]), row.max) * inverse);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    online<T><<<grid_x(rows, 1), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
