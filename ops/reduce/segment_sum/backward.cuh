// What the gradients share: the segment of a row by either index, and who has the maximum.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {

struct Offsets {
  const void* offsets;
  bool wide;  // 64 bits
  std::int64_t segments;

  static Offsets of(const Backward& args) {
    return {args.offsets.data, args.offsets.dtype == DType::i64, args.dy.shape[0]};
  }
  __device__ __forceinline__ std::int64_t start(std::int64_t s) const {
    return wide ? static_cast<const std::int64_t*>(offsets)[s]
                : static_cast<const int*>(offsets)[s];
  }
  // The last segment that begins at or before the row: a binary search. -1: in none.
  __device__ __forceinline__ std::int64_t of(std::int64_t row) const {
    std::int64_t below = -1, above = segments + 1;
    while (above - below > 1) {
      const std::int64_t middle = (below + above) / 2;
      if (start(middle) <= row)
        below = middle;
      else
        above = middle;
    }
    return below < segments ? below : -1;
  }
  __device__ __forceinline__ std::int64_t length(std::int64_t s) const {
    return start(s + 1) - start(s);
  }
};

// How many rows have the maximum of each segment and column.
template <class T, class Index>
__global__ void count_ties(const T* x, const T* y, Index index, unsigned* ties, std::int64_t size,
                           std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = index.of(i / cols), k = s * cols + i % cols;
  if (s >= 0 && to_float(x[i]) == to_float(y[k])) atomicAdd(&ties[k], 1u);
}

}  // namespace warpath::segment_sum
