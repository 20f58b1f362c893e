// The lanes of a warp hand pairs of value and place to each other.
//
// What changed: five steps of two shuffles find the best of a warp in registers; one pair per warp goes through shared
// memory, with one barrier in all.
// Limit: a thread looks at a single element. Too few bytes are in flight, and the tree is as large as the data.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

constexpr int threads = 256;  // and candidates per block

template <class V, class In, class Out>
__global__ void __launch_bounds__(threads)
    warp_shuffle(In in, Out* out, std::int64_t n, std::int64_t blocks_a_row) {
  __shared__ Best<V> slots[threads / 32];
  const std::int64_t row = blockIdx.x / blocks_a_row;
  const std::int64_t i = blockIdx.x % blocks_a_row * threads + threadIdx.x;
  const Best<V> mine = i < n ? candidate(in, row, i, n) : nothing<V>();
  const Best<V> best = block_reduce<threads>(mine, Better{}, slots);
  if (threadIdx.x == 0) put(&out[blockIdx.x], best);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    find_in_passes<T>(args, threads, [&](auto in, auto* out, std::int64_t n, std::int64_t blocks) {
      warp_shuffle<reduce::Accumulator<T>>
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
