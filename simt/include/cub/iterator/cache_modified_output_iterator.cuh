#pragma once

// A pointer with a wish about caches.

#include <cub/iterator/iterator_base.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <CacheStoreModifier Modifier, class Value, class Offset = std::ptrdiff_t>
class CacheModifiedOutputIterator
    : public detail::IteratorBase<CacheModifiedOutputIterator<Modifier, Value, Offset>,
                                  std::remove_const_t<Value>, Value&, Offset> {
 public:
  template <class Qualified>
  CacheModifiedOutputIterator(Qualified* pointer)
      : pointer_(const_cast<std::remove_cv_t<Qualified>*>(pointer)) {}

  Value& at(Offset n) const { return pointer_[n]; }
  void advance(Offset n) { pointer_ += n; }
  Offset distance(const CacheModifiedOutputIterator& other) const {
    return pointer_ - other.pointer_;
  }

 private:
  std::remove_const_t<Value>* pointer_;
};

}  // namespace cub
