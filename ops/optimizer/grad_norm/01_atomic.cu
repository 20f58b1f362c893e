// One launch per tensor; every block adds its sum of squares to one number.
//
// A block of 256 threads reduces 256 squares and adds the result to a float in scratch memory by one atomic addition. The
// hardware decides the order of these additions, so the norm differs in its last bits from run to run, and with it every
// weight that is clipped by it.
// Limit: 148 launches for GPT-2 before the norm is known, and half a million atomic additions to one address.
#include "ops/optimizer/grad_norm/finish.cuh"

namespace warpath::grad_norm {
namespace {

constexpr int threads = 256;

__global__ void clear(float* total) {
  *total = 0;
}

template <class T>
__global__ void __launch_bounds__(threads) add_tensor(const T* g, std::int64_t n, float* total) {
  __shared__ float slots[threads / 32];
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  const float x = i < n ? to_float(g[i]) : 0.0f;
  const float sum = block_reduce<threads>(x * x, Sum{}, slots);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

__global__ void finish(const float* total, Results results) {
  results.write(*total);
}

void launch(const Args& args, cudaStream_t stream) {
  auto* const total = static_cast<float*>(args.scratch.data);
  clear<<<1, 1, 0, stream>>>(total);
  if (args.g.count > 0)
    dispatch_float(args.g[0].dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (const Tensor& g : args.g)
        if (g.size() > 0)
          add_tensor<T>
              <<<grid_x(g.size(), threads), threads, 0, stream>>>(g.as<T>(), g.size(), total);
    });
  finish<<<1, 1, 0, stream>>>(total, Results::of(args));
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args&) {
  return 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::grad_norm
