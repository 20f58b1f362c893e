#pragma once

// Takes values and forgets them.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Offset = std::ptrdiff_t>
class DiscardOutputIterator;

namespace detail {
struct Discarded {
  template <class T>
  const Discarded& operator=(const T&) const {
    return *this;
  }
};
}  // namespace detail

template <class Offset>
class DiscardOutputIterator
    : public detail::IteratorBase<DiscardOutputIterator<Offset>, void, detail::Discarded, Offset> {
 public:
  DiscardOutputIterator(Offset position = 0) : position_(position) {}

  detail::Discarded at(Offset) const { return {}; }
  void advance(Offset n) { position_ += n; }
  Offset distance(const DiscardOutputIterator& other) const { return position_ - other.position_; }

 private:
  Offset position_;
};

}  // namespace cub
