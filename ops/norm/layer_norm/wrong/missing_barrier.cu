// The second tree is written into while slow warps still read the result of the first.
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
  return tree[0];
  // Missing before that: __syncthreads() between reading the sum and the next use of the tree.
}

template <class T>
__global__ void missing_barrier(const T* x, const T* weight, const T* bias, T* y, float* means,
                                float* rstds, float eps, std::int64_t cols) {
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
    missing_barrier<T><<<grid_x(rows, 1), threads, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), cols);
  });
}

WARPATH_RUNG(Forward, launch, .race = true);

}  // namespace
}  // namespace warpath::layer_norm
