// One launch for up to 160 tensors, 16 bytes per load.
//
// What changed: the tensors are cut into chunks of 8192 elements, and a block finds its own in a table that is a kernel
// parameter: all 148 tensors of GPT-2 are read in one launch. A thread asks for four or eight vectors of 16 bytes before it
// adds the first.
// Limit: the second launch starts when the last block is done, and one block adds the partial sums while the others are idle.
#include "ops/optimizer/grad_norm/squares.cuh"

namespace warpath::grad_norm {
namespace {

static_assert(sizeof(Table) + 64 <= 4096, "kernel parameters");

template <class T>
__global__ void __launch_bounds__(threads)
    one_chunk(const __grid_constant__ Table table, float* partials) {
  __shared__ float slots[threads / 32];
  const float sum = block_reduce<threads>(thread_sum<T>(table), Sum{}, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads)
    finish(const float* partials, std::int64_t n, Results results) {
  __shared__ float slots[threads / 32];
  add_partials<threads>(partials, n, slots, results);
}

void launch(const Args& args, cudaStream_t stream) {
  auto* const partials = static_cast<float*>(args.scratch.data);
  std::int64_t done = 0;
  if (args.g.count > 0)
    dispatch_float(args.g[0].dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      optimizer::for_each_table<most>(
          std::array{&args.g}, chunk, [&](const Table& table, unsigned chunks) {
            one_chunk<T><<<chunks, threads, 0, stream>>>(table, partials + done);
            done += chunks;
          });
    });
  finish<<<1, threads, 0, stream>>>(partials, done, Results::of(args));
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return optimizer::chunks_of(args.g, chunk) * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::grad_norm
