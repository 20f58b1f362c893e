// Each block leaves its sum in a place of its own; one block adds them in order.
//
// What changed: no atomics. A block takes 8192 elements, a fixed stretch of one tensor, and writes one partial sum. A last
// launch of one block adds all partial sums, thread by thread in the same order every time: the same bits in every run.
// Limit: still one launch per tensor, and one element per load.
#include "ops/optimizer/grad_norm/finish.cuh"

namespace warpath::grad_norm {
namespace {

constexpr int threads = 256, chunk = 8192;

template <class T>
__global__ void __launch_bounds__(threads)
    sum_stretches(const T* g, std::int64_t n, float* partials) {
  __shared__ float slots[threads / 32];
  const std::int64_t first = std::int64_t(blockIdx.x) * chunk, end = min(first + chunk, n);
  float sum = 0;
#pragma unroll 4
  for (std::int64_t i = first + threadIdx.x; i < end; i += threads) {
    const float x = to_float(g[i]);
    sum += x * x;
  }
  sum = block_reduce<threads>(sum, Sum{}, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads)
    finish(const float* partials, std::int64_t n, Results results) {
  __shared__ float slots[threads / 32];
  add_partials<threads>(partials, n, slots, results);
}

std::int64_t partials_of(const Args& args) {
  std::int64_t n = 0;
  for (const Tensor& g : args.g) n += ceil_div(g.size(), std::int64_t(chunk));
  return n;
}

void launch(const Args& args, cudaStream_t stream) {
  auto* const partials = static_cast<float*>(args.scratch.data);
  std::int64_t done = 0;
  if (args.g.count > 0)
    dispatch_float(args.g[0].dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (const Tensor& g : args.g) {
        if (g.size() == 0) continue;
        const unsigned blocks = grid_x(g.size(), chunk);
        sum_stretches<T><<<blocks, threads, 0, stream>>>(g.as<T>(), g.size(), partials + done);
        done += blocks;
      }
    });
  finish<<<1, threads, 0, stream>>>(partials, done, Results::of(args));
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return partials_of(args) * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::grad_norm
