// One block, one row; sums are trees in shared memory.
//
// What changed: 256 threads share a row, so loads are coalesced and a long row has more bytes in
// flight. Each thread adds up every 256th element; a tree in shared memory adds up the threads.
// Limit: nine barriers per tree, two trees per row, and x is still read three times, the second and
// third time from cache where the rows are short.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

constexpr int threads = 256;

__device__ float tree_sum(float v, float* tree) {
  tree[threadIdx.x] = v;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step) tree[threadIdx.x] += tree[threadIdx.x + step];
    __syncthreads();
  }
  const float sum = tree[0];
  __syncthreads();  // everyone has read the sum before the tree is used again
  return sum;
}

template <class T>
__global__ void __launch_bounds__(threads)
    shared(const T* x, const T* weight, const T* bias, T* y, float* means, float* rstds, float eps,
           std::int64_t cols) {
  __shared__ float tree[threads];
  const std::int64_t row = blockIdx.x;
  x += row * cols;
  y += row * cols;
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) sum += to_float(x[c]);
  const float mean = tree_sum(sum, tree) / float(cols);
  float squares = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float d = to_float(x[c]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(tree_sum(squares, tree) / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (threadIdx.x == 0 && means) means[row] = mean;
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    shared<T><<<grid_x(rows, 1), threads, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::layer_norm
