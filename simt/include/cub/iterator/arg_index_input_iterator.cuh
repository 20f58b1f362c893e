#pragma once

// Another iterator's values, each with its index.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Iterator, class Offset = std::ptrdiff_t, class Value = detail::value_of<Iterator>>
class ArgIndexInputIterator
    : public detail::IteratorBase<ArgIndexInputIterator<Iterator, Offset, Value>,
                                  KeyValuePair<Offset, Value>, KeyValuePair<Offset, Value>,
                                  Offset> {
 public:
  explicit ArgIndexInputIterator(Iterator input, Offset position = 0)
      : input_(input), position_(position) {}

  KeyValuePair<Offset, Value> at(Offset n) const {
    return {position_ + n, static_cast<Value>(input_[position_ + n])};
  }
  void advance(Offset n) { position_ += n; }
  Offset distance(const ArgIndexInputIterator& other) const { return position_ - other.position_; }
  void normalize() {
    input_ += position_;
    position_ = 0;
  }

 private:
  Iterator input_;
  Offset position_;
};

}  // namespace cub
