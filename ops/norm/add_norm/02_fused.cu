// One kernel: the row is added, written, and normalised while it is still in the cache.
//
// What changed: one block per row makes s and its sum in the same loop. The later loops read s back, each
// thread what it wrote itself, from cache where the row is short: four transfers from and to memory.
// Limit: one element per load, three loops over the row, and a barrier between them.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/add_norm/add_norm.h"

namespace warpath::add_norm {
namespace {

constexpr int threads = 256;

// s may be residual: no __restrict__ here.
template <class T>
__global__ void __launch_bounds__(threads)
    fused(const T* x, const T* residual, const T* weight, const T* bias, T* y, T* s, float* means,
          float* rstds, bool layer, float eps, std::int64_t cols) {
  __shared__ float sum_slots[threads / 32], square_slots[threads / 32];
  const std::int64_t row = blockIdx.x, first = row * cols;
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const T v = from_float<T>(to_float(x[first + c]) + to_float(residual[first + c]));
    s[first + c] = v;
    sum += to_float(v);  // of the rounded value, which is what later layers see
  }
  const float mean = layer ? block_reduce<threads>(sum, Sum{}, sum_slots) / float(cols) : 0.0f;
  float squares = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float d = to_float(s[first + c]) - mean;
    squares += d * d;
  }
  squares = block_reduce<threads>(squares, Sum{}, square_slots);
  const float rstd = rsqrtf(squares / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[first + c] = from_float<T>((to_float(s[first + c]) - mean) * rstd * w + b);
  }
  if (threadIdx.x == 0 && means) means[row] = mean;
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    fused<T><<<grid_x(rows, 1), threads, 0, stream>>>(
        args.x.as<T>(), args.residual.as<T>(), args.weight.as<T>(), args.bias.as<T>(),
        args.y.as<T>(), args.s.as<T>(), args.mean.as<float>(), args.rstd.as<float>(),
        args.kind == Kind::layer, static_cast<float>(args.eps), cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::add_norm
