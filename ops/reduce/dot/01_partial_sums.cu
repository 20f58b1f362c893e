// A block multiplies 256 pairs; its first thread adds the products up.
//
// The products are independent, their sum is not: threads leave their products in shared memory, and after a barrier one
// thread adds all of them. The partial sums, one per block, are added up by the same kernel until one per row is left.
// Limit: 255 threads wait while one adds, one number after the other.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

constexpr int threads = 256;  // and terms per block

template <class In, class Out>
__global__ void __launch_bounds__(threads)
    partial_sums(In in, Out* out, std::int64_t n, std::int64_t blocks_a_row) {
  __shared__ float terms[threads];
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  terms[threadIdx.x] = i < n ? term(in, row * n + i) : 0.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < threads; ++k) sum += terms[k];
    reduce::put(&out[blockIdx.x], sum);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sum_in_passes<T>(args, threads, [&](auto in, auto* out, std::int64_t n, std::int64_t blocks) {
      partial_sums<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks);
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
