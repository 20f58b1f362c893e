// Lanes of a warp hand their values to each other without shared memory.
//
// What changed: five shuffles reduce a warp in registers; one value per warp goes through shared
// memory, with one barrier instead of nine (core/block/reduce.cuh).
// Limit: a thread still reads a single element, so too few bytes are in flight, and 256 Mi elements
// take a million blocks.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

constexpr int threads = 256;  // and elements per block

template <class In, class Out, class Op>
__global__ void __launch_bounds__(threads)
    warp_shuffle(const In* x, Out* y, std::int64_t n, std::int64_t blocks_a_row, Op op) {
  using A = Accumulator<In>;
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  __shared__ A slots[threads / 32];
  const A mine = i < n ? widen(x[row * n + i]) : Op::template identity<A>();
  const A total = block_reduce<threads>(mine, op, slots);
  if (threadIdx.x == 0) put(&y[blockIdx.x], total);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    reduce_in_passes<T>(
        args, threads, [&](auto* in, auto* out, std::int64_t n, std::int64_t blocks) {
          warp_shuffle<<<grid_x(rows * blocks, 1), threads, 0, stream>>>(in, out, n, blocks, op);
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
