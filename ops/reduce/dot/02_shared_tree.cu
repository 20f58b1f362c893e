// The block adds its products up as a tree.
//
// What changed: in each step the first half of the remaining terms takes on the second half, so 256 become one in eight
// steps instead of 256, and many threads add at once.
// Limit: nine barriers, and a round trip to shared memory for each addition.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

constexpr int threads = 256;  // and terms per block

template <class In, class Out>
__global__ void __launch_bounds__(threads)
    shared_tree(In in, Out* out, std::int64_t n, std::int64_t blocks_a_row) {
  __shared__ float tree[threads];
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  tree[threadIdx.x] = i < n ? term(in, row * n + i) : 0.0f;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (int(threadIdx.x) < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) reduce::put(&out[blockIdx.x], tree[0]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sum_in_passes<T>(args, threads, [&](auto in, auto* out, std::int64_t n, std::int64_t blocks) {
      shared_tree<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return pass_scratch(args, threads);
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::dot
