// A block adds up its elements as a tree in shared memory.
//
// What changed: 256 elements become one in eight steps instead of 256 atomic additions, and the
// order of additions is fixed, so the result is the same in every run. The partial results are
// reduced again until one per row is left.
// Limit: the active threads of a step are every 2nd, 4th, 8th…: every warp stays busy for a few
// active lanes (divergence), and the remainder operator that finds them is slow.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

constexpr int threads = 256;  // and elements per block

template <class In, class Out, class Op>
__global__ void __launch_bounds__(threads)
    shared_tree(const In* x, Out* y, std::int64_t n, std::int64_t blocks_a_row, Op op) {
  using A = Accumulator<In>;
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  __shared__ A tree[threads];
  tree[threadIdx.x] = i < n ? widen(x[row * n + i]) : Op::template identity<A>();
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    if (threadIdx.x % (2 * step) == 0)
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
          shared_tree<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks, op);
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
