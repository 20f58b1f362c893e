#pragma once

// A pointer with a wish about caches.

#include <cub/iterator/iterator_base.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <CacheLoadModifier Modifier, class Value, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator
    : public detail::IteratorBase<CacheModifiedInputIterator<Modifier, Value, Offset>,
                                  std::remove_const_t<Value>, Value, Offset> {
 public:
  template <class Qualified>
  CacheModifiedInputIterator(Qualified* pointer)
      : pointer_(const_cast<std::remove_cv_t<Qualified>*>(pointer)) {}

  Value at(Offset n) const { return pointer_[n]; }
  void advance(Offset n) { pointer_ += n; }
  Offset distance(const CacheModifiedInputIterator& other) const {
    return pointer_ - other.pointer_;
  }

 private:
  std::remove_const_t<Value>* pointer_;
};

}  // namespace cub
