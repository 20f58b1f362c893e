// Frees a stage when its products have been started, not when they are done.
//
// wgmma reads shared memory long after it was issued: TMA may fill the stage again while
// it is still read. A stage is free after wait_products.
#include "ops/matmul/matmul/wrong/hopper_simple.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

__global__ void __launch_bounds__(simple_threads)
    early_free(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               Shape shape, Epilogue<__nv_bfloat16> out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Simple>>(shared);
  if (threadIdx.x == 0) ring.init(warps_of(1));
  __syncthreads();

  const TilePlace at = shape.order.at(blockIdx.x);
  PipelineState<Simple::stages> state;
  if (is_producer()) {
    if (threadIdx.x > 0) return;
    for (int step = 0; step < shape.steps; ++step, state.next()) {
      ptx::wait(ring.empty[state.stage], state.parity ^ 1);
      ptx::arrive_expecting(ring.full[state.stage], Simple::stage_bytes);
      load_step(ring, state.stage, a, b, shape, at, step);
    }
  } else {
    Simple::Sums sums;
    for (int step = 0; step < shape.steps; ++step, state.next()) {
      ptx::wait(ring.full[state.stage], state.parity);
      multiply_stage<Simple>(sums, ring.a[state.stage], ring.b[state.stage], 0, step > 0);
      if (threadIdx.x % 32 == 0) ptx::arrive(ring.empty[state.stage]);
    }
    ptx::wait_products(sums);
    store_direct<Simple>(sums, out, at, 0);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  launch_simple(args, stream, early_free);
}

WARPATH_RUNG(Args, launch, .supports = takes_simple, .race = true);

}  // namespace
}  // namespace warpath::matmul
