// What the rungs share: the arithmetic of one weight, and the second level, which is a 64th of the work.
#pragma once
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/quant/nf4_quantize/nf4_quantize.h"

namespace warpath::nf4_quantize {

// Halfway between neighbours of a sorted table.
template <class Table, int N>
struct Midpoints {
  float at[N - 1];
};
template <class Table>
constexpr auto midpoints_of(const Table& table) {
  constexpr int n = sizeof(table.at) / sizeof(float);
  Midpoints<Table, n> m{};
  for (int i = 0; i + 1 < n; ++i) m.at[i] = (table.at[i] + table.at[i + 1]) * 0.5f;
  return m;
}
using WeightMidpoints = Midpoints<nf4::Values, 16>;
using MapMidpoints = Midpoints<nf4::Map, 256>;
inline constexpr WeightMidpoints weight_midpoints = midpoints_of(nf4::values);
inline constexpr MapMidpoints map_midpoints = midpoints_of(nf4::map);

// Zero, and numbers too small for a reciprocal, leave a factor that is finite.
__device__ __forceinline__ float reciprocal_of(float most) {
  return 1.0f / fmaxf(most, 0x1p-126f);
}

// How many midpoints lie below t, all compared: no branch, no table that is indexed.
__device__ __forceinline__ unsigned code_of(float t, const WeightMidpoints& middle) {
  unsigned code = 0;
#pragma unroll
  for (int i = 0; i < 15; ++i) code += t > middle.at[i] ? 1u : 0u;
  return code;
}

// The same by bisection, for 255 of them.
__device__ __forceinline__ unsigned code_of(float t, const MapMidpoints& middle) {
  unsigned code = 0;
#pragma unroll
  for (unsigned half = 128; half > 0; half /= 2)
    if (t > middle.at[code + half - 1]) code += half;
  return code;
}

namespace detail {

constexpr int sum_threads = 1024;

// The mean of the blocks' maxima, by one block of threads, in double: rounded to float it does not depend on the order.
static __global__ void __launch_bounds__(sum_threads)
    mean_of(const float* most, std::int64_t blocks, float* offset) {
  __shared__ double slots[sum_threads / 32];
  double sum = 0;
  for (std::int64_t b = threadIdx.x; b < blocks; b += sum_threads) sum += double(most[b]);
  sum = block_reduce<sum_threads>(sum, Sum{}, slots);
  if (threadIdx.x == 0) *offset = blocks > 0 ? float(sum / double(blocks)) : 0.0f;
}

// One thread, one block's maximum; a block of threads, one group.
static __global__ void __launch_bounds__(nf4::group)
    quantize_maxima(const float* most, std::int64_t blocks, const float* offset,
                    MapMidpoints middle, unsigned char* absmax, float* scales) {
  __shared__ float slots[nf4::group / 32];
  const std::int64_t b = std::int64_t(blockIdx.x) * nf4::group + threadIdx.x;
  const float distance = b < blocks ? most[b] - *offset : 0.0f;
  const float scale = block_reduce<nf4::group>(fabsf(distance), Max{}, slots);
  if (b < blocks)
    absmax[b] = static_cast<unsigned char>(code_of(distance * reciprocal_of(scale), middle));
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

}  // namespace detail

// From the blocks' maxima in scratch memory to absmax, scales and offset.
static inline void launch_second_level(const Quantize& args, cudaStream_t stream) {
  const auto* const most = static_cast<const float*>(args.scratch.data);
  auto* const offset = args.offset.as<float>();
  detail::mean_of<<<1, detail::sum_threads, 0, stream>>>(most, args.blocks(), offset);
  if (args.blocks() == 0) return;
  detail::quantize_maxima<<<grid_x(args.blocks(), nf4::group), nf4::group, 0, stream>>>(
      most, args.blocks(), offset, map_midpoints, args.absmax.as<unsigned char>(),
      args.scales.as<float>());
}

static inline std::int64_t scratch_bytes(const Quantize& args) {
  return args.blocks() * std::int64_t(sizeof(float));
}

}  // namespace warpath::nf4_quantize
