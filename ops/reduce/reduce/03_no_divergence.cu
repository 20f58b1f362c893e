// The same tree, folded in half at each step: the active threads are always the first ones.
//
// What changed: step s adds element t + s to element t for t < s. Whole warps drop out of a step
// instead of single lanes, the accesses of a warp are neighbours (no bank conflicts), and there
// is no remainder to compute.
// Limit: nine barriers, and a round trip to shared memory for each addition; in the last six steps
// one warp works while seven wait.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

constexpr int threads = 256;  // and elements per block

template <class In, class Out, class Op>
__global__ void __launch_bounds__(threads)
    no_divergence(const In* x, Out* y, std::int64_t n, std::int64_t blocks_a_row, Op op) {
  using A = Accumulator<In>;
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  __shared__ A tree[threads];
  tree[threadIdx.x] = i < n ? widen(x[row * n + i]) : Op::template identity<A>();
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step)
      tree[threadIdx.x] = op(tree[threadIdx.x], tree[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) put(&y[blockIdx.x], tree[0]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    reduce_in_passes<T>(
        args, threads, [&](auto* in, auto* out, std::int64_t n, std::int64_t blocks) {
          no_divergence<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks, op);
        });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return pass_scratch(args, threads);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::reduce
