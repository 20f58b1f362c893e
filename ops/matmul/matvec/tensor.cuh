// Sixteen rows of w times up to sixteen rows of x by the tensor cores, a part of k per warp. Used
// by rungs 04 to 06.
#pragma once
#include "core/ptx/mma.cuh"
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {

inline constexpr int warps = 8;     // of a block; they share k
inline constexpr int outputs = 16;  // rows of w per block
inline constexpr int chunk = 32;    // elements of k that a warp takes at a time: 64 bytes of a row
inline constexpr int threads = 32 * warps;

// 16 bytes per lane, straight from memory to where mma.sync wants them. A lane holds eight
// neighbours of a row where the instruction expects two of each group of eight; but a sum may be
// taken in any order, and x is loaded in the same one. Groups is 1 for up to 8 rows of x, 2 for up
// to 16.
template <class T, int Groups>
struct Lane {
  float sum[Groups][4] = {};

  // l from begin to end, which are multiples of 8.
  __device__ __forceinline__ void add(const Problem<T>& p, std::int64_t j0, std::int64_t begin,
                                      std::int64_t end) {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const T* const upper = p.w + min(j0 + g, p.n - 1) * p.k;  // rows behind the last: not written
    const T* const lower = p.w + min(j0 + g + 8, p.n - 1) * p.k;
#pragma unroll 4
    for (std::int64_t l0 = begin + warp * chunk; l0 < end; l0 += warps * chunk) {
      const std::int64_t l = l0 + t * 8;
      uint4 up{}, low{}, x[Groups] = {};
      if (l < end) {
        up = __ldcs(reinterpret_cast<const uint4*>(upper + l));
        low = __ldcs(reinterpret_cast<const uint4*>(lower + l));
#pragma unroll
        for (int q = 0; q < Groups; ++q)
          if (g + 8 * q < p.rows)
            x[q] = *reinterpret_cast<const uint4*>(p.x + (g + 8 * q) * p.k + l);
      }
      const std::uint32_t first[4] = {up.x, low.x, up.y, low.y};
      const std::uint32_t second[4] = {up.z, low.z, up.w, low.w};
#pragma unroll
      for (int q = 0; q < Groups; ++q) {
        ptx::mma<T>(sum[q], first, x[q].x, x[q].y);
        ptx::mma<T>(sum[q], second, x[q].z, x[q].w);
      }
    }
  }

  // Adds up what the warps have. Thread i gets the sum of row i / 16 of x and row i % 16 of w.
  __device__ __forceinline__ float total(float (&part)[warps][8 * Groups][outputs]) const {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int q = 0; q < Groups; ++q)
#pragma unroll
      for (int e = 0; e < 4; ++e) part[warp][8 * q + 2 * t + e % 2][g + e / 2 * 8] = sum[q][e];
    __syncthreads();
    float all = 0;
    if (threadIdx.x < 8 * Groups * outputs)
#pragma unroll
      for (int v = 0; v < warps; ++v) all += part[v][threadIdx.x / outputs][threadIdx.x % outputs];
    return all;
  }
};

inline std::string tensor_cores(const Args& args) {
  if (args.x.dtype == DType::f32) return "tensor cores would round f32 to tf32";
  if (!in_vectors(args)) return "loads 16 bytes: rows must start at multiples of 16 bytes";
  return {};
}

// Calls f with the number of groups of 8 rows.
template <class F>
void with_groups(const Args& args, F&& f) {
  if (args.rows() <= 8)
    f(std::integral_constant<int, 1>{});
  else
    f(std::integral_constant<int, 2>{});
}

}  // namespace warpath::matvec
