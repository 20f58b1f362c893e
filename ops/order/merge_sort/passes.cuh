// What the rungs of merge_sort share: passes that turn sorted runs into runs of twice the length, from one buffer to the other.
#pragma once
#include "ops/order/comparison.cuh"
#include "ops/order/merge_sort/merge_sort.h"

namespace warpath::merge_sort {

// Keys and the values beside them, which are null for keys alone.
template <class T>
struct Sequence {
  T* keys;
  int* values;

  __device__ __forceinline__ void put(std::int64_t to, const Sequence& from, std::int64_t i) const {
    keys[to] = from.keys[i];
    if (values) values[to] = from.values[i];
  }
};

template <class T>
Sequence<T> input_of(const Args& args) {
  return {args.keys.as<T>(), args.values.as<int>()};
}

// The buffers of a sort with that many launches, each of which writes what the next one reads. The last writes the output.
template <class T>
struct Buffers {
  Sequence<T> output, other;
  int launches;

  static Buffers of(const Args& args, int launches) {
    const std::int64_t n = args.keys.size();
    int* const values = static_cast<int*>(args.scratch.data);  // first: their alignment is larger
    return {{args.y.as<T>(), args.y_values.as<int>()},
            {reinterpret_cast<T*>(values + (args.has_values() ? n : 0)),
             args.has_values() ? values : nullptr},
            launches};
  }
  Sequence<T> written_by(int launch) const {
    return (launches - 1 - launch) % 2 == 0 ? output : other;
  }
};

inline std::int64_t buffer_bytes(const Args& args) {
  const std::int64_t bytes = args.keys.bytes() + (args.has_values() ? 4 * args.keys.size() : 0);
  return (bytes + 15) / 16 * 16;
}

// Passes from runs of `run` elements to one of n.
inline int passes_of(std::int64_t n, std::int64_t run) {
  int passes = 0;
  for (; run < n; run *= 2) ++passes;
  return passes;
}

// The two runs that output `first` is made of: elements begin to middle, and middle to end.
struct Runs {
  std::int64_t begin, middle, end;

  __device__ static __forceinline__ Runs at(std::int64_t first, std::int64_t run, std::int64_t n) {
    const std::int64_t begin = first / (2 * run) * (2 * run);
    return {begin, begin + run < n ? begin + run : n, begin + 2 * run < n ? begin + 2 * run : n};
  }
};

}  // namespace warpath::merge_sort
