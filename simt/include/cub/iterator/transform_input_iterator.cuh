#pragma once

// A function of another iterator's values.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Value, class Op, class Iterator, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public detail::IteratorBase<TransformInputIterator<Value, Op, Iterator, Offset>, Value, Value,
                                  Offset> {
 public:
  TransformInputIterator(Iterator input, Op op) : input_(input), op_(op) {}

  Value at(Offset n) const { return op_(input_[n]); }
  void advance(Offset n) { input_ += n; }
  Offset distance(const TransformInputIterator& other) const { return input_ - other.input_; }

 private:
  Iterator input_;
  mutable Op op_;
};

}  // namespace cub
