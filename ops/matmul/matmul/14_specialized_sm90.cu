// One warp group loads, two multiply, and none waits for the other's work.
//
// What changed: a producer fills a ring of four stages as fast as they come free; the consumers
// keep one group of products running while they wait for the next stage. "full" and "empty"
// barriers of each stage are all they share. The producer hands its registers to the consumers: 64
// x 256 sums per warp group are 128 registers per thread. The larger tile reads each byte of a 256
// times and of b 128.
// Limit: a block starts with an empty ring and ends with stores, and the tensor cores are idle
// during both.
#include "ops/matmul/matmul/hopper_epilogue.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int threads = 3 * ptx::warp_group, band = 8;

template <class Tile>
__global__ void __launch_bounds__(threads, 1)
    specialized(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                Shape shape, Epilogue<typename Tile::T> out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  if (threadIdx.x == 0) ring.init(warps_of(Tile::groups));
  __syncthreads();

  const TilePlace at = shape.order.at(blockIdx.x);
  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0) produce(Loads<Tile>(ring, a, b, shape, at), state, 0, shape.steps);
  } else {
    ptx::take_registers<consumer_registers>();
    typename Tile::Sums sums;
    consume(ring, state, sums, consumer_group(), shape.steps, [&](int stage) {
      if (threadIdx.x % 32 == 0) ptx::arrive(ring.empty[stage]);
    });
    store_direct<Tile>(sums, out, at, consumer_group());
  }
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Block = Tile<T, 128, 256, 4, A, B>;  // 192 KiB
    const Shape shape = shape_of<Block>(args, band);
    const auto kernel = specialized<Block>;
    const int bytes = allow_shared(kernel, storage_bytes<Ring<Block>>);
    kernel<<<shape.order.tiles(), threads, bytes, stream>>>(
        map_of_a<Block>(args), map_of_b<Block>(args), shape, problem_of<T>(args).out);
  });
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = enough_tiles);

}  // namespace
}  // namespace warpath::matmul
