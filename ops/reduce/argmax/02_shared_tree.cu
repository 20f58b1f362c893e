// A block finds the best of 256 elements as a tree of pairs in shared memory.
//
// What changed: a pair of value and place is what the tree combines. The order of the combinations no longer follows the
// places, so of equal values the lower place has to win by a comparison of its own. The best of each block go to the next
// pass, until one per row is left. The loads of a warp are neighbours.
// Limit: nine barriers, and 16 bytes of shared memory for each element that is compared.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

constexpr int threads = 256;  // and candidates per block

template <class V, class In, class Out>
__global__ void __launch_bounds__(threads)
    shared_tree(In in, Out* out, std::int64_t n, std::int64_t blocks_a_row) {
  __shared__ Best<V> tree[threads];
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  tree[threadIdx.x] = i < n ? candidate(in, row, i, n) : nothing<V>();
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (int(threadIdx.x) < half)
      tree[threadIdx.x] = Better{}(tree[threadIdx.x], tree[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) put(&out[blockIdx.x], tree[0]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    find_in_passes<T>(args, threads, [&](auto in, auto* out, std::int64_t n, std::int64_t blocks) {
      shared_tree<reduce::Accumulator<T>>
          <<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return pass_scratch(args, threads);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::argmax
