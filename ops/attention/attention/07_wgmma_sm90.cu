// Hopper: one warp group, keys and values brought by TMA, products by wgmma.
//
// What changed: operands go from shared memory straight to the tensor cores: no ldmatrix, and no fragments of q, k or v in
// registers. One thread asks for a whole tile of keys with one instruction per 64 columns; TMA computes the
// addresses and writes the swizzled layout that wgmma reads. The weights are the left operand of the second product
// where they are, in registers.
// Limit: all four warps do the same at the same time. The tensor cores idle while they compute exponentials.
#include "ops/attention/attention/hopper_call.cuh"
#include "ops/attention/attention/hopper_schedule.cuh"

namespace warpath::attention {
namespace {

using namespace hopper;

template <class Tile>
__global__ void __launch_bounds__(ptx::warp_group)
    one_group(const __grid_constant__ Maps maps, hopper::Problem problem) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& at = storage_in<Storage<Tile>>(shared);
  Work w;
  if (!find_work<Tile>(problem, int(blockIdx.x), w)) return;
  if (threadIdx.x == 0) at.init();
  __syncthreads();
  const Visible visible = visible_of(problem, w);
  const KeyTiles tiles = key_tiles<Tile>(visible, w.row);
  if (tiles.first == tiles.last) return store_zeros<Tile>(problem, w, 0);
  const Mask<Tile> mask(visible, w, 0);
  Loads<Tile> loads(at, maps);
  // One thread asks for a tile of keys and one of values: it waits until all warps have read what lies there.
  const auto fetch = [&](int t) {
    if (threadIdx.x == 0 && t >= tiles.first) {
      loads.load_k(w, t);
      loads.load_v(w, t);
    }
    __syncwarp();
  };
  if (threadIdx.x == 0) loads.load_q(w);
  for (int s = 1; s <= Tile::stages; ++s) fetch(tiles.last - s);

  PipelineState<Tile::stages> state;
  typename Tile::Scores scores;
  typename Tile::Sums sums;
  Weights<Tile> weights;
  RowStats stats;
  float factor[2];
#pragma unroll
  for (int i = 0; i < Tile::value_dim / 2; ++i) sums[i] = 0;
  ptx::wait(at.q_full, 0);
  for (int t = tiles.last - 1; t >= tiles.first; --t, state.next()) {
    ptx::wait(at.k_full[state.stage], state.parity);
    ptx::fence_products();
    multiply_keys<Tile>(scores, at.q, at.k[state.stage], 0);
    ptx::wait_products(scores);
    mask.hide(scores, t);
    exponentiate(scores, stats, problem.log2_scale, factor);
    rescale(sums, factor);
    round_weights<Tile>(weights, scores);
    ptx::wait(at.v_full[state.stage], state.parity);
    if (problem.q_offsets) clear_tail<Tile>(at.v[state.stage], w.keys - t * Tile::keys, 0);
    ptx::fence_products();
    multiply_values<Tile>(sums, weights, at.v[state.stage]);
    ptx::wait_products(sums);
    release(at.k_empty[state.stage]);
    release(at.v_empty[state.stage]);
    fetch(t - Tile::stages);
  }
  store_rows<Tile>(sums, stats, at, problem, w, 0);
}

template <class Tile>
void launch_tile(const Forward& args, cudaStream_t stream) {
  const hopper::Problem p = problem_of<Tile>(args);
  const auto kernel = one_group<Tile>;
  const int bytes = allow_shared(kernel, sizeof(Storage<Tile>));
  kernel<<<unsigned(work_items(p)), ptx::warp_group, bytes, stream>>>(maps_of<Tile>(args), p);
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&]<class T>(Tag<T>) {
    if (args.q.shape[3] <= 64)
      launch_tile<hopper::Tile<T, 64, 64, 64, 1, 2>>(args, stream);
    else
      launch_tile<hopper::Tile<T, 128, 128, 64, 1, 2>>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .supports = supports_plain);

}  // namespace
}  // namespace warpath::attention
