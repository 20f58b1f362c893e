#pragma once

// What CUB's iterators have in common: a position and its arithmetic. Derived gives at(offset).

#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

namespace detail {

template <class Derived, class Value, class Reference, class Difference>
class IteratorBase {
 public:
  using self_type = Derived;
  using difference_type = Difference;
  using value_type = Value;
  using pointer = Value*;
  using reference = Reference;
  using iterator_category = std::random_access_iterator_tag;

  Reference operator*() const { return self().at(0); }
  template <class Distance>
  Reference operator[](Distance n) const {
    return self().at(static_cast<Difference>(n));
  }
  Derived& operator++() { return self() += 1; }
  Derived& operator--() { return self() += -1; }
  Derived operator++(int) {
    Derived before = self();
    self() += 1;
    return before;
  }
  Derived operator--(int) {
    Derived before = self();
    self() += -1;
    return before;
  }
  template <class Distance>
  Derived& operator+=(Distance n) {
    self().advance(static_cast<Difference>(n));
    return self();
  }
  template <class Distance>
  Derived& operator-=(Distance n) {
    self().advance(-static_cast<Difference>(n));
    return self();
  }
  template <class Distance>
  Derived operator+(Distance n) const {
    Derived result = self();
    return result += n;
  }
  template <class Distance,
            class = std::enable_if_t<!std::is_same_v<std::decay_t<Distance>, Derived>>>
  Derived operator-(Distance n) const {
    Derived result = self();
    return result -= n;
  }
  Difference operator-(const Derived& other) const { return self().distance(other); }
  friend bool operator==(const Derived& a, const Derived& b) { return a.distance(b) == 0; }
  friend bool operator!=(const Derived& a, const Derived& b) { return a.distance(b) != 0; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace detail

}  // namespace cub
