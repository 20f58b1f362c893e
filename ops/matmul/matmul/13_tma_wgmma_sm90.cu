// TMA brings the tiles, and four warps multiply at once.
//
// What changed: one thread asks for whole boxes of a and b; the hardware computes the addresses,
// swizzles, fills what lies outside with zeros and counts the bytes on a barrier. wgmma takes both
// operands from shared memory: no ldmatrix, no fragments, and 64 x 128 x 16 per instruction. The
// next stage is on its way while this one is multiplied.
// Limit: all threads wait for a copy, then all multiply: between stages the tensor cores are idle.
#include "ops/matmul/matmul/hopper_epilogue.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int threads = 2 * ptx::warp_group, band = 8;

template <class Tile>
__global__ void __launch_bounds__(threads)
    tma_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              Shape shape, Epilogue<typename Tile::T> out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  if (threadIdx.x == 0) ring.init(1);
  __syncthreads();

  const TilePlace at = shape.order.at(blockIdx.x);
  const int group = threadIdx.x / ptx::warp_group;
  PipelineState<Tile::stages> loads, uses;
  const auto load = [&](int step) {
    if (threadIdx.x == 0) produce(Loads<Tile>(ring, a, b, shape, at), loads, step, step + 1);
  };
  typename Tile::Sums sums;
  load(0);
  for (int step = 0; step < shape.steps; ++step, uses.next()) {
    if (step + 1 < shape.steps) load(step + 1);
    ptx::wait(ring.full[uses.stage], uses.parity);
    multiply_stage<Tile>(sums, ring.a[uses.stage], ring.b[uses.stage], group, step > 0);
    ptx::wait_products(sums);
    __syncthreads();
    if (threadIdx.x == 0) ptx::arrive(ring.empty[uses.stage]);
  }
  store_direct<Tile>(sums, out, at, group);
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Block = Tile<T, 128, 128, 2, A, B>;  // 64 KiB: three blocks per SM
    const Shape shape = shape_of<Block>(args, band);
    const auto kernel = tma_wgmma<Block>;
    const int bytes = allow_shared(kernel, storage_bytes<Ring<Block>>);
    kernel<<<shape.order.tiles(), threads, bytes, stream>>>(
        map_of_a<Block>(args), map_of_b<Block>(args), shape, problem_of<T>(args).out);
  });
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = enough_tiles);

}  // namespace
}  // namespace warpath::matmul
