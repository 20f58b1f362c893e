#pragma once

// 0, 1, 2, ... from a first value.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Value, class Offset = std::ptrdiff_t>
class CountingInputIterator
    : public detail::IteratorBase<CountingInputIterator<Value, Offset>, Value, Value, Offset> {
 public:
  CountingInputIterator(Value first) : value_(first) {}

  Value at(Offset n) const { return value_ + static_cast<Value>(n); }
  void advance(Offset n) { value_ = at(n); }
  Offset distance(const CountingInputIterator& other) const {
    return static_cast<Offset>(value_) - static_cast<Offset>(other.value_);
  }

 private:
  Value value_;
};

}  // namespace cub
