// What the rungs of merge share: the tensors of a call.
#pragma once
#include "ops/order/comparison.cuh"
#include "ops/order/merge/merge.h"

namespace warpath::merge {

template <class T>
struct Call {
  const T *a, *b;
  const int *a_values, *b_values;  // null without values
  T* y;
  int* y_values;
  std::int64_t n, m;

  static Call of(const Args& args) {
    return {args.a.as<T>(),          args.b.as<T>(), args.a_values.as<int>(),
            args.b_values.as<int>(), args.y.as<T>(), args.y_values.as<int>(),
            args.a.size(),           args.b.size()};
  }
  __device__ __forceinline__ void put(std::int64_t at, bool from_b, std::int64_t i) const {
    y[at] = from_b ? b[i] : a[i];
    if (y_values) y_values[at] = from_b ? b_values[i] : a_values[i];
  }
};

}  // namespace warpath::merge
