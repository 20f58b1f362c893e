// A product by TMA and wgmma, of any of the three forms: for 03 and 04.
//
// TMA brings boxes of both operands into a ring of four stages, swizzled as the tensor cores read them from
// shared memory, K-major or MN-major. A block makes 128 x 256; as many blocks as SMs walk over the tiles, and the
// producer runs ahead into the next tile while the consumers store the last one. What lies outside of a matrix comes as zeros.
#pragma once
#include "core/hopper/accumulator.cuh"
#include "core/hopper/tensor_map.h"
#include "core/host/device.cuh"
#include "ops/softmax/linear_cross_entropy/chunks.cuh"

namespace warpath::linear_cross_entropy {

namespace hopper_product {

using namespace hopper;

constexpr int threads = 3 * ptx::warp_group, band = 8;

template <class Tile>
static __global__ void __launch_bounds__(threads, 1)
    persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               Shape shape, Product<typename Tile::T> p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  if (threadIdx.x == 0) ring.init(warps_of(Tile::groups));
  __syncthreads();

  // The parts of k are counted as a batch: a part is the same tile with other steps.
  const int steps = int((p.part + Tile::k - 1) / Tile::k);
  const auto begin = [&](int part) { return part * steps; };
  const auto end = [&](int part) { return min(shape.steps, begin(part) + steps); };
  PipelineState<Tile::stages> state;
  const int tiles = shape.order.tiles();
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const TilePlace at = shape.order.at(tile);
        produce(Loads<Tile>(ring, a, b, shape, at), state, begin(at.batch), end(at.batch));
      }
  } else {
    ptx::take_registers<consumer_registers>();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const TilePlace place = shape.order.at(tile);
      const int count = end(place.batch) - begin(place.batch);
      typename Tile::Sums sums;
      consume(ring, state, sums, consumer_group(), count, [&](int stage) {
        if (threadIdx.x % 32 == 0) ptx::arrive(ring.empty[stage]);
      });
      const Corner at = corner_of<Tile>(place, consumer_group());
      for_each_pair(sums, [&](float first, float second, int down, int right) {
        store_pair(p, at.row + down, at.column + right, place.batch, first, second);
      });
    }
  }
}

// `outer` of the product's own axis and k, of which the one along the rows has stride 1.
template <class Panel, class T>
CUtensorMap map_of(const T* data, std::int64_t outer, std::int64_t k, std::int64_t row_stride) {
  const std::int64_t inner = Panel::mn_major ? outer : k, rows = Panel::mn_major ? k : outer;
  return tensor_map({dtype_of<T>, data, inner, rows, 1, row_stride, 0}, Panel::box_rows);
}

template <class T, bool AK, bool BK>
void launch_form(const Product<T>& p, cudaStream_t stream) {
  using Block = Tile<T, 128, 256, 4, !AK, !BK>;  // 192 KiB
  const std::int64_t down = ceil_div(p.m, Block::m), across = ceil_div(p.n, Block::n);
  WARPATH_CHECK(down * across * p.parts <= max_grid_x,
                "linear_cross_entropy: too many tiles for one launch");
  const Shape shape{int(p.m), int(p.n), int(ceil_div(p.k, Block::k)),
                    false,    false,    QuickOrder::of(down, across, p.parts, band)};
  const auto kernel = persistent<Block>;
  const int bytes = allow_shared(kernel, storage_bytes<Ring<Block>>);
  const unsigned blocks = std::min<unsigned>(shape.order.tiles(), multiprocessors());
  kernel<<<blocks, threads, bytes, stream>>>(
      map_of<typename Block::A>(p.a, p.m, p.k, AK ? p.a_row : p.a_k),
      map_of<typename Block::BShare>(p.b, p.n, p.k, BK ? p.b_col : p.b_k), shape, p);
}

}  // namespace hopper_product

template <class T>
void multiply_by_hopper(const Product<T>& p, cudaStream_t stream) {
  with_form(p, [&]<class AK, class BK>(AK, BK) {
    hopper_product::launch_form<T, AK::value, BK::value>(p, stream);
  });
}

}  // namespace warpath::linear_cross_entropy
