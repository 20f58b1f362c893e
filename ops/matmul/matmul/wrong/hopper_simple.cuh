// What the wrong Hopper kernels share: a small tile, two stages, and their launch. Each kernel is
// rung 14 with one warp group that multiplies, and one line of it is wrong.
#pragma once
#include "ops/matmul/matmul/hopper_epilogue.cuh"

namespace warpath::matmul::hopper {

using Simple = Tile<__nv_bfloat16, 64, 128, 2, false, false>;
inline constexpr int simple_threads = 2 * ptx::warp_group;

// The copies of one step.
__device__ __forceinline__ void load_step(Ring<Simple>& ring, int stage, const CUtensorMap& a,
                                          const CUtensorMap& b, const Shape& shape, TilePlace at,
                                          int step) {
  const int k = step * Simple::k;
  ptx::load_box(ring.a[stage], a, ptx::BoxPlace{k, at.row * Simple::m, at.batch * shape.a_batched},
                ring.full[stage]);
  ptx::load_box(ring.b[stage], b,
                ptx::BoxPlace{k, at.column * Simple::n, at.batch * shape.b_batched},
                ring.full[stage]);
}

template <class Kernel>
void launch_simple(const Args& args, cudaStream_t stream, Kernel kernel) {
  if (args.d.size() == 0) return;
  const Shape shape = shape_of<Simple>(args, 8);
  const int bytes = allow_shared(kernel, storage_bytes<Ring<Simple>>);
  kernel<<<shape.order.tiles(), simple_threads, bytes, stream>>>(
      map_of_a<Simple>(args), map_of_b<Simple>(args), shape, problem_of<__nv_bfloat16>(args).out);
  CUDA_CHECK(cudaGetLastError());
}

inline std::string takes_simple(const Args& args) {
  const std::string why = supports(args);
  if (!why.empty()) return why;
  const bool along = !laid(args.a, 1).mn_major && !laid(args.b, 2).mn_major;
  return args.a.dtype == DType::bf16 && along ? "" : "takes bf16 with k contiguous";
}

}  // namespace warpath::matmul::hopper
