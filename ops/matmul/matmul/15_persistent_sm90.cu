// One block per SM, for as long as there are tiles.
//
// What changed: as many blocks as SMs, each walking over its tiles. The producer runs ahead into
// the next tile while the consumers still store the last one, so the ring is full when they come
// back; barriers and tensor maps are set up once. Tiles that run together form a band of rows, so
// that their a and b come from L2.
// Limit: every block reads its own copy of b, though the tile beside it needs the same.
#include "core/host/device.cuh"
#include "ops/matmul/matmul/hopper_epilogue.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int threads = 3 * ptx::warp_group, band = 8;

template <class Tile>
__global__ void __launch_bounds__(threads, 1)
    persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               Shape shape, Epilogue<typename Tile::T> out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  if (threadIdx.x == 0) ring.init(warps_of(Tile::groups));
  __syncthreads();

  PipelineState<Tile::stages> state;
  const int tiles = shape.order.tiles();
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        produce(Loads<Tile>(ring, a, b, shape, shape.order.at(tile)), state, 0, shape.steps);
  } else {
    ptx::take_registers<consumer_registers>();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      typename Tile::Sums sums;
      consume(ring, state, sums, consumer_group(), shape.steps, [&](int stage) {
        if (threadIdx.x % 32 == 0) ptx::arrive(ring.empty[stage]);
      });
      store_direct<Tile>(sums, out, shape.order.at(tile), consumer_group());
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Block = Tile<T, 128, 256, 4, A, B>;
    const Shape shape = shape_of<Block>(args, band);
    const auto kernel = persistent<Block>;
    const int bytes = allow_shared(kernel, storage_bytes<Ring<Block>>);
    const unsigned blocks = std::min<unsigned>(shape.order.tiles(), multiprocessors());
    kernel<<<blocks, threads, bytes, stream>>>(map_of_a<Block>(args), map_of_b<Block>(args), shape,
                                               problem_of<T>(args).out);
  });
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = enough_tiles);

}  // namespace
}  // namespace warpath::matmul
