// The last block to finish adds the partial sums: one launch for everything.
//
// What changed: each block counts itself when its partial sum is written. The one that finds itself last adds all of them, in
// the same fixed order, whichever block it is. There is no second launch and no wait for it.
// Limit: with many chunks, the count of each block; for lists of more than 160 tensors, a launch per 160.
#include "core/host/device.cuh"
#include "ops/optimizer/grad_norm/squares.cuh"

namespace warpath::grad_norm {
namespace {

static_assert(sizeof(Table) + 64 <= 4096, "kernel parameters");

// `before`: chunks of earlier launches; `all`: of all of them.
template <class T>
__global__ void __launch_bounds__(threads)
    one_chunk(const __grid_constant__ Table table, float* partials, unsigned before, unsigned all,
              unsigned* done, const Results results) {
  __shared__ float slots[threads / 32];
  __shared__ bool is_last;
  const float sum = block_reduce<threads>(thread_sum<T>(table), Sum{}, slots);
  if (threadIdx.x == 0) {
    partials[before + blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(done, 1u) == all - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  add_partials<threads>(partials, all, slots, results);
  if (threadIdx.x == 0) atomicExch(done, 0u);  // for the next call
}

__global__ void nothing(Results results) {
  results.write(0);
}

// The counter has a place of its own: it must stay zero between calls.
void launch(const Args& args, cudaStream_t stream) {
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  float* const partials = reinterpret_cast<float*>(done + 4);
  const Results results = Results::of(args);
  const std::int64_t all = optimizer::chunks_of(args.g, chunk);
  if (all == 0) {
    nothing<<<1, 1, 0, stream>>>(results);
  } else {
    unsigned before = 0;
    dispatch_float(args.g[0].dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      optimizer::for_each_table<most>(std::array{&args.g}, chunk,
                                      [&](const Table& table, unsigned chunks) {
                                        one_chunk<T><<<chunks, threads, 0, stream>>>(
                                            table, partials, before, unsigned(all), done, results);
                                        before += chunks;
                                      });
    });
  }
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args&) {
  return 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + optimizer::chunks_of(args.g, chunk) * 4;
}

// Every block waits for its count: with GPT-2's 124 M gradients on an H200 that takes longer than a second launch.
std::string few(const Args& args) {
  if (optimizer::chunks_of(args.g, chunk) <= 4 * std::int64_t(multiprocessors())) return {};
  return "with many chunks a second launch costs less than counting them";
}

WARPATH_RUNG(Args, launch, .preferred = few, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::grad_norm
