// One block, one row; the row stays in shared memory between the three steps.
//
// What changed: 256 threads share a row, so loads are coalesced, and x is read from global
// memory once. The maximum and the sum are trees in shared memory. Rows that do not fit are read
// again instead.
// Limit: the barriers of two trees per row, and shared memory in place of registers for every step.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int threads = 256;
constexpr std::int64_t longest_kept =
    11 * 1024;  // 44 KiB of floats beside the tree: inside the 48 KiB all GPUs give

template <class Op>
__device__ float tree_reduce(float v, float* tree, Op op) {
  tree[threadIdx.x] = v;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step)
      tree[threadIdx.x] = op(tree[threadIdx.x], tree[threadIdx.x + step]);
    __syncthreads();
  }
  const float result = tree[0];
  __syncthreads();  // everyone has read the result before the tree is used again
  return result;
}

template <class T>
__global__ void __launch_bounds__(threads) shared(const T* x, T* y, std::int64_t cols, bool keep) {
  extern __shared__ float kept[];
  __shared__ float tree[threads];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const auto value = [&](std::int64_t c) { return keep ? kept[c] : to_float(x[c]); };

  float largest = -INFINITY;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float v = to_float(x[c]);
    if (keep) kept[c] = v;  // read back by this thread alone: no barrier needed
    largest = fmaxf(largest, v);
  }
  largest = tree_reduce(largest, tree, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float e = expf(value(c) - largest);
    if (keep) kept[c] = e;
    sum += e;
  }
  sum = tree_reduce(sum, tree, Sum{});

  for (std::int64_t c = threadIdx.x; c < cols; c += threads)
    y[c] = from_float<T>((keep ? kept[c] : expf(value(c) - largest)) / sum);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  const bool keep = cols <= longest_kept;
  const std::size_t bytes = keep ? static_cast<std::size_t>(cols) * sizeof(float) : 0;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    shared<T>
        <<<grid_x(rows, 1), threads, bytes, stream>>>(args.x.as<T>(), args.y.as<T>(), cols, keep);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
