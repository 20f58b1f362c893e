#pragma once

// CUB's function objects.

#include <cub/util_type.cuh>

#include <utility>

namespace cub {

struct Equality {
  template <class T, class U>
  bool operator()(const T& a, const U& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T, class U>
  bool operator()(const T& a, const U& b) const {
    return a != b;
  }
};
template <class EqualityOp>
struct InequalityWrapper {
  EqualityOp op;
  explicit InequalityWrapper(EqualityOp equal) : op(equal) {}
  template <class T, class U>
  bool operator()(const T& a, const U& b) {
    return !simt::call_op(op, a, b);
  }
};
struct Sum {
  template <class T, class U>
  auto operator()(const T& a, const U& b) const {
    return a + b;
  }
};
struct Difference {
  template <class T, class U>
  auto operator()(const T& a, const U& b) const {
    return a - b;
  }
};
struct Division {
  template <class T, class U>
  auto operator()(const T& a, const U& b) const {
    return a / b;
  }
};
struct Max {
  template <class T, class U>
  std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T, class U>
  std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return b < a ? b : a;
  }
};
// The greatest value; of several the one with the lowest key.
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return (b.value > a.value || (a.value == b.value && b.key < a.key)) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return (b.value < a.value || (a.value == b.value && b.key < a.key)) ? b : a;
  }
};
template <class To>
struct CastOp {
  template <class From>
  To operator()(From&& from) const {
    return static_cast<To>(std::forward<From>(from));
  }
};
template <class ScanOp>
struct SwizzleScanOp {
  ScanOp scan_op;
  explicit SwizzleScanOp(ScanOp op) : scan_op(op) {}
  template <class T>
  T operator()(const T& a, const T& b) {
    return simt::call_op(scan_op, b, a);
  }
};
// Pairs of a segment's number (or a count of heads) and a value.
template <class ReduceOp>
struct ReduceBySegmentOp {
  ReduceOp op;
  ReduceBySegmentOp() = default;
  explicit ReduceBySegmentOp(ReduceOp reduce) : op(reduce) {}
  template <class Pair>
  Pair operator()(const Pair& first, const Pair& second) {
    Pair result;
    result.key = first.key + second.key;
    result.value = second.key ? second.value : simt::call_op(op, first.value, second.value);
    return result;
  }
};
template <class ReduceOp>
struct ReduceByKeyOp {
  ReduceOp op;
  ReduceByKeyOp() = default;
  explicit ReduceByKeyOp(ReduceOp reduce) : op(reduce) {}
  template <class Pair>
  Pair operator()(const Pair& first, const Pair& second) {
    Pair result = second;
    if (first.key == second.key) result.value = simt::call_op(op, first.value, second.value);
    return result;
  }
};

}  // namespace cub
