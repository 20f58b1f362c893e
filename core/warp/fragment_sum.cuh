// Sums in global memory to which many blocks add what mma.sync left in their registers.
//
// 16 x 8 floats lie as the lanes of a warp hold them, not as rows: since Hopper one instruction adds four
// neighbouring floats, so a lane's four lie together; before it a lane adds one at a time, so those of
// 32 lanes lie together. Either way a warp's request is one contiguous stretch.
#pragma once
#include <cstdint>

namespace warpath {

struct FragmentSum {
  static constexpr int rows = 16, columns = 8, floats = 128;

  // All lanes: `sum` is the accumulator of ptx::mma.
  static __device__ __forceinline__ void add(float* block, const float (&sum)[4]) {
    const int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(block) + lane, make_float4(sum[0], sum[1], sum[2], sum[3]));
#else
#pragma unroll
    for (int e = 0; e < 4; ++e) atomicAdd(block + e * 32 + lane, sum[e]);
#endif
  }

  // One row of the 16.
  static __device__ __forceinline__ void read(float (&to)[columns], const float* block, int row) {
    const int lane = row % 8 * 4, e = row / 8 * 2;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
#if __CUDA_ARCH__ >= 900
      const float2 pair = *reinterpret_cast<const float2*>(block + (lane + t) * 4 + e);
#else
      const float2 pair = make_float2(block[e * 32 + lane + t], block[(e + 1) * 32 + lane + t]);
#endif
      to[2 * t] = pair.x;
      to[2 * t + 1] = pair.y;
    }
  }
};

}  // namespace warpath
