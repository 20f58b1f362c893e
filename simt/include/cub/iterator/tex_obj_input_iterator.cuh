#pragma once

// Reads through a texture on a GPU; through the pointer here.

#include <cub/iterator/iterator_base.cuh>
#include <cub/util_type.cuh>

#include <cstddef>
#include <iterator>

namespace cub {

template <class Value, class Offset = std::ptrdiff_t>
class TexObjInputIterator
    : public detail::IteratorBase<TexObjInputIterator<Value, Offset>, Value, Value, Offset> {
 public:
  TexObjInputIterator() = default;

  template <class Qualified>
  cudaError_t BindTexture(Qualified* pointer, std::size_t = 0, std::size_t = 0) {
    pointer_ = pointer;
    return cudaSuccess;
  }
  cudaError_t UnbindTexture() { return cudaSuccess; }

  Value at(Offset n) const { return pointer_[n]; }
  void advance(Offset n) { pointer_ += n; }
  Offset distance(const TexObjInputIterator& other) const { return pointer_ - other.pointer_; }

 private:
  const Value* pointer_ = nullptr;
};

}  // namespace cub
