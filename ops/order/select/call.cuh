// What the rungs of select share: the tests, and where an element goes.
#pragma once
#include <cmath>

#include "core/block/scan.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/order/select/select.h"

namespace warpath::select {

// What a test compares: floats of every width in float, integers as they are.
template <class T>
using Value = std::conditional_t<std::is_same_v<T, int>, int, float>;
template <class T>
__device__ __forceinline__ Value<T> value_of(T x) {
  if constexpr (std::is_same_v<T, int>)
    return x;
  else
    return to_float(x);
}

template <class T>
struct Call {
  const T* x;
  const unsigned char* flags;
  T* y;
  long long* count;
  std::int64_t n;
  Test test;
  Value<T> threshold;
  bool partition;

  explicit Call(const Args& args)
      : x(args.x.as<T>()),
        flags(args.flags.as<unsigned char>()),
        y(args.y.as<T>()),
        count(args.count.as<long long>()),
        n(args.x.size()),
        test(args.test),
        partition(args.partition) {
    WARPATH_CHECK(test != Test::flags || n == 0 || flags,
                  "select: the test 'flags' needs the argument 'flags'");
    const auto limit = static_cast<float>(args.threshold);
    if constexpr (std::is_same_v<T, int>)  // x > 2.5 is x > 2 for an integer
      threshold = limit < -0x1p31f   ? -2147483647 - 1
                  : limit >= 0x1p31f ? 2147483647
                                     : static_cast<int>(std::floor(limit));
    else
      threshold = limit;
  }

  __device__ __forceinline__ bool keeps(std::int64_t i) const {
    switch (test) {
      case Test::flags:
        return flags[i] != 0;
      case Test::above:
        return value_of(x[i]) > threshold;
      case Test::nonzero:
        return value_of(x[i]) != Value<T>(0);
      case Test::unique:
        return i == 0 || value_of(x[i]) != value_of(x[i - 1]);
    }
    return false;
  }

  // Element i, `kept_before` of those before it being kept.
  __device__ __forceinline__ void put(std::int64_t i, bool kept, long long kept_before) const {
    if (kept)
      y[kept_before] = x[i];
    else if (partition)
      y[n - 1 - (i - kept_before)] = x[i];
  }
};

template <class F>
void dispatch_select(const Args& args, F&& f) {
  dispatch<float, __half, __nv_bfloat16, int>(args.x.dtype, f);
}

// A block walks along the elements [first, last), one per thread and round; `kept` is the number kept before them. Returns
// the number kept up to the end.
template <int Threads, class T>
__device__ __forceinline__ long long walk(const Call<T>& call, std::int64_t first,
                                          std::int64_t last, long long kept) {
  __shared__ int slots[Threads / 32];
  for (std::int64_t at = first; at < last; at += Threads) {
    const std::int64_t i = at + threadIdx.x;
    const bool keep = i < last && call.keeps(i);
    const BlockPrefix<int> prefix = block_scan<Threads>(int(keep), 0, Sum{}, slots);
    if (i < last) call.put(i, keep, kept + prefix.before);
    kept += prefix.all;
    __syncthreads();
  }
  return kept;
}

}  // namespace warpath::select
