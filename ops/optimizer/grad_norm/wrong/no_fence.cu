// The last block joins what the others have written, but nothing makes their writes visible before their counts: a count may
// be there while the memory does not hold the part yet.
#include "core/host/device.cuh"
#include "ops/optimizer/grad_norm/squares.cuh"

namespace warpath::grad_norm {
namespace {

static_assert(sizeof(Table) + 64 <= 4096, "kernel parameters");

// `before`: chunks of earlier launches; `all`: of all of them.
template <class T>
__global__ void __launch_bounds__(threads)
    no_fence(const __grid_constant__ Table table, float* partials, unsigned before, unsigned all,
             unsigned* done, const Results results) {
  __shared__ float slots[threads / 32];
  __shared__ bool is_last;
  const float sum = block_reduce<threads>(thread_sum<T>(table), Sum{}, slots);
  if (threadIdx.x == 0) {
    partials[before + blockIdx.x] = sum;
    // Missing here: __threadfence();
    is_last = atomicAdd(done, 1u) == all - 1;
  }
  __syncthreads();
  if (!is_last) return;
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
                                        no_fence<T><<<chunks, threads, 0, stream>>>(
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

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::grad_norm
