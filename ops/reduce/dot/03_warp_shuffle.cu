// The lanes of a warp add their products in registers.
//
// What changed: five shuffles sum a warp without shared memory; one sum per warp goes through it, with one barrier in all
// (core/block/reduce.cuh).
// Limit: a thread multiplies a single pair. Too few bytes are in flight, and 256 Mi pairs take a million blocks and four
// passes.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

constexpr int threads = 256;  // and terms per block

template <class In, class Out>
__global__ void __launch_bounds__(threads)
    warp_shuffle(In in, Out* out, std::int64_t n, std::int64_t blocks_a_row) {
  __shared__ float slots[threads / 32];
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  const float mine = i < n ? term(in, row * n + i) : 0.0f;
  const float sum = block_reduce<threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) reduce::put(&out[blockIdx.x], sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sum_in_passes<T>(args, threads, [&](auto in, auto* out, std::int64_t n, std::int64_t blocks) {
      warp_shuffle<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks);
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
