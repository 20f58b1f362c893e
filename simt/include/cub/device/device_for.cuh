#pragma once

// A function for each element or index.

#include <cub/util_device.cuh>

namespace cub {

struct DeviceFor {
  template <class Iterator, class Op>
  static cudaError_t ForEach(Iterator first, Iterator last, Op op, cudaStream_t stream = nullptr) {
    return ForEachN(first, last - first, op, stream);
  }
  template <class Iterator, class N, class Op>
  static cudaError_t ForEachN(Iterator first, N count, Op op, cudaStream_t stream = nullptr) {
    return simt::run_on_device("cub::DeviceFor", stream, [=]() mutable {
      for (N i = 0; i < count; ++i) op(detail::element_at(first, i));
    });
  }
  template <class N, class Op>
  static cudaError_t Bulk(N count, Op op, cudaStream_t stream = nullptr) {
    return simt::run_on_device("cub::DeviceFor::Bulk", stream, [=]() mutable {
      for (N i = 0; i < count; ++i) op(i);
    });
  }
  // As ForEach; the elements may be copies.
  template <class Iterator, class Op>
  static cudaError_t ForEachCopy(Iterator first, Iterator last, Op op,
                                 cudaStream_t stream = nullptr) {
    return ForEach(first, last, op, stream);
  }
  template <class Iterator, class N, class Op>
  static cudaError_t ForEachCopyN(Iterator first, N count, Op op, cudaStream_t stream = nullptr) {
    return ForEachN(first, count, op, stream);
  }

  // For each index of a multidimensional range (cuda::std::extents): its number, then one index per
  // dimension, the last of which varies fastest.
  template <class Extents, class Op>
  static cudaError_t ForEachInExtents(const Extents& extents, Op op,
                                      cudaStream_t stream = nullptr) {
    return simt::run_on_device("cub::DeviceFor::ForEachInExtents", stream, [=]() mutable {
      std::size_t count = 1;
      for (std::size_t r = 0; r < Extents::rank(); ++r) count *= extents.extent(r);
      for (std::size_t i = 0; i < count; ++i) {
        in_extents(extents, op, i, std::make_index_sequence<Extents::rank()>());
      }
    });
  }

// The same with temporary storage, of which none is needed.
#define SIMT_CUB_STORAGE(NAME)                                         \
  template <class... A>                                                \
  static cudaError_t NAME(void* storage, std::size_t& bytes, A... a) { \
    if (storage != nullptr) return NAME(a...);                         \
    bytes = 1;                                                         \
    return cudaSuccess;                                                \
  }
  SIMT_CUB_STORAGE(ForEach)
  SIMT_CUB_STORAGE(ForEachN)
  SIMT_CUB_STORAGE(Bulk)
  SIMT_CUB_STORAGE(ForEachCopy)
  SIMT_CUB_STORAGE(ForEachCopyN)
  SIMT_CUB_STORAGE(ForEachInExtents)
#undef SIMT_CUB_STORAGE

 private:
  template <class Extents, class Op, std::size_t... R>
  static void in_extents(const Extents& extents, Op& op, std::size_t i, std::index_sequence<R...>) {
    using Index = typename Extents::index_type;
    std::size_t rest = i;
    Index at[sizeof...(R) + 1] = {};
    for (std::size_t r = sizeof...(R); r-- > 0;) {
      at[r] = static_cast<Index>(rest % extents.extent(r));
      rest /= extents.extent(r);
    }
    op(static_cast<Index>(i), at[R]...);
  }
};

}  // namespace cub
