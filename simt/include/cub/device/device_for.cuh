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
      for (N i = 0; i < count; ++i) op(*(first + i));
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
#undef SIMT_CUB_STORAGE
};

}  // namespace cub
