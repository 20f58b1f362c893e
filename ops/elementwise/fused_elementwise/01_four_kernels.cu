// One kernel per step, as a framework runs them: the results in between go through memory.
//
// The numbers in between are floats in scratch memory, because the contract rounds once.
// Limit: bytes. In f32 with bias and residual, x is read once and y written once, but the scratch is written three times and
// read three times, where one pass would need neither.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/fused_elementwise/activation.cuh"

namespace warpath::fused_elementwise {
namespace {

constexpr int threads = 256;

__device__ std::int64_t index() {
  return std::int64_t(blockIdx.x) * threads + threadIdx.x;
}

template <class T>
__global__ void add_bias(const T* x, const T* bias, float* z, std::int64_t n, std::int64_t cols) {
  const std::int64_t i = index();
  if (i < n) z[i] = to_float(x[i]) + (bias ? to_float(bias[i % cols]) : 0);
}

__global__ void apply(float* z, std::int64_t n, Activation activation) {
  const std::int64_t i = index();
  if (i < n) z[i] = activated(z[i], activation);
}

template <class T>
__global__ void add_residual(float* z, const T* residual, std::int64_t n) {
  const std::int64_t i = index();
  if (i < n) z[i] += to_float(residual[i]);
}

template <class T>
__global__ void multiply(const float* z, T* y, std::int64_t n, float scale) {
  const std::int64_t i = index();
  if (i < n) y[i] = from_float<T>(scale * z[i]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  float* z = static_cast<float*>(args.scratch.data);
  const unsigned blocks = grid_x(n, threads);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    add_bias<T>
        <<<blocks, threads, 0, stream>>>(args.x.as<T>(), args.bias.as<T>(), z, n, args.x.shape[1]);
    if (args.activation != Activation::none)
      apply<<<blocks, threads, 0, stream>>>(z, n, args.activation);
    if (args.residual.data)
      add_residual<T><<<blocks, threads, 0, stream>>>(z, args.residual.as<T>(), n);
    multiply<T><<<blocks, threads, 0, stream>>>(z, args.y.as<T>(), n, float(args.scale));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch(const Args& args) {
  return args.x.size() * std::int64_t(sizeof(float));
}

WARPATH_RUNG(Args, launch, .scratch = scratch);

}  // namespace
}  // namespace warpath::fused_elementwise
