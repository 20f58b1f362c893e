// What the rungs of segment_sum share: offsets of either width, and what becomes of a segment's total.
#pragma once
#include "ops/reduce/accumulate.cuh"
#include "ops/reduce/segment_sum/segment_sum.h"

namespace warpath::segment_sum {

struct Segments {
  const void* offsets;
  bool wide;  // 64 bits
  bool mean;
  std::int64_t count;

  static Segments of(const Args& args) {
    return {args.offsets.data, args.offsets.dtype == DType::i64, args.kind == Kind::mean,
            args.y.shape[0]};
  }
  __device__ __forceinline__ std::int64_t start(std::int64_t s) const {
    return wide ? static_cast<const std::int64_t*>(offsets)[s]
                : static_cast<const int*>(offsets)[s];
  }
  // Of a segment that long.
  __device__ __forceinline__ float finish(float total, std::int64_t length) const {
    return mean ? total / float(length) : total;
  }
};

// f(Tag<T>, Op)
template <class F>
void dispatch_segments(const Args& args, F&& f) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    if (args.kind == Kind::max)
      f(tag, Max{});
    else
      f(tag, Sum{});
  });
}

inline std::string flat(const Args& args) {
  return args.x.shape[1] == 1 ? "" : "takes one column";
}

}  // namespace warpath::segment_sum
