#pragma once

// The same value at every position.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Value, class Offset = std::ptrdiff_t>
class ConstantInputIterator
    : public detail::IteratorBase<ConstantInputIterator<Value, Offset>, Value, Value, Offset> {
 public:
  ConstantInputIterator(Value value, Offset position = 0) : value_(value), position_(position) {}

  Value at(Offset) const { return value_; }
  void advance(Offset n) { position_ += n; }
  Offset distance(const ConstantInputIterator& other) const { return position_ - other.position_; }

 private:
  Value value_;
  Offset position_;
};

}  // namespace cub
