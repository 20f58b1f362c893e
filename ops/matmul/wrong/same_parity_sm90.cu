// Waits for the same parity on every lap around the ring.
//
// The first lap is right. On the second, the wait accepts the phase that the first lap ended, and the
// products start before their data is there: the flip at the end of a lap tells the laps apart.
#include "hopper.cuh"
#include "hopper_launch.cuh"
#include "hopper_store.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int threads = 2 * ptx::warp_group, band = 8;
using Block = Tile<__nv_bfloat16, 64, 128, 2, false, false>;

__global__ void __launch_bounds__(threads)
    same_parity(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                Shape shape, Epilogue<__nv_bfloat16> out) {
  extern __shared__ unsigned char shared[];
  auto& ring = storage_in<Ring<Block>>(shared);
  if (threadIdx.x == 0) ring.init(warps_of(1));
  __syncthreads();

  const TilePlace at = shape.order.at(blockIdx.x);
  Turn<Block::stages> turn;
  if (is_producer()) {
    if (threadIdx.x > 0) return;
    for (int step = 0; step < shape.steps; ++step, turn.next()) {
      ptx::Barrier& full = ring.full[turn.stage];
      ptx::wait(ring.empty[turn.stage], turn.parity ^ 1);
      ptx::arrive_expecting(full, Block::stage_bytes);
      ptx::load_box(ring.a[turn.stage], a,
                    {step * Block::k, at.row * Block::m, at.batch * shape.a_batched}, full);
      ptx::load_box(ring.b[turn.stage], b,
                    {step * Block::k, at.column * Block::n, at.batch * shape.b_batched}, full);
    }
  } else {
    Block::Sums sums;
    for (int step = 0; step < shape.steps; ++step, turn.next()) {
      ptx::wait(ring.full[turn.stage], 0);
      multiply_stage<Block>(sums, ring.a[turn.stage], ring.b[turn.stage], 0, step > 0);
      ptx::wait_products(sums);
      if (threadIdx.x % 32 == 0) ptx::arrive(ring.empty[turn.stage]);
    }
    store_direct<Block>(sums, out, at, 0);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  const Shape shape = shape_of<Block>(args, band);
  const int bytes = allow_shared(same_parity, storage_bytes<Ring<Block>>);
  same_parity<<<shape.order.tiles(), threads, bytes, stream>>>(
      map_of_a<Block>(args), map_of_b<Block>(args), shape, problem_of<__nv_bfloat16>(args).out);
  CUDA_CHECK(cudaGetLastError());
}

std::string takes(const Args& args) {
  const std::string why = supports(args);
  if (!why.empty()) return why;
  const bool rows = !laid(args.a, 1).across && !laid(args.b, 2).across;
  return args.a.dtype == DType::bf16 && rows ? "" : "takes bf16 with k contiguous";
}

WARPATH_RUNG(Args, launch, .supports = takes, .race = true);

}  // namespace
}  // namespace warpath::matmul
