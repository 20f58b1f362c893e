#pragma once

// Many copies at once.

#include <cub/util_device.cuh>

namespace cub {

struct DeviceMemcpy {
  template <class From, class To, class Sizes, class N>
  static cudaError_t Batched(void* storage, std::size_t& bytes, From from, To to, Sizes sizes,
                             N count, cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceMemcpy::Batched", storage, bytes, 0, stream, [=] {
      for (N i = 0; i < count; ++i) {
        const char* const source = static_cast<const char*>(static_cast<const void*>(from[i]));
        char* const target = static_cast<char*>(static_cast<void*>(to[i]));
        const auto size = static_cast<std::size_t>(sizes[i]);
        for (std::size_t at = 0; at < size; ++at) target[at] = source[at];
      }
    });
  }
};

struct DeviceCopy {
  template <class From, class To, class Sizes, class N>
  static cudaError_t Batched(void* storage, std::size_t& bytes, From from, To to, Sizes sizes,
                             N count, cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceCopy::Batched", storage, bytes, 0, stream, [=] {
      for (N i = 0; i < count; ++i) {
        const auto size = static_cast<std::size_t>(sizes[i]);
        for (std::size_t at = 0; at < size; ++at) to[i][at] = from[i][at];
      }
    });
  }
};

}  // namespace cub
