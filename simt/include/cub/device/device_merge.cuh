#pragma once

// Merges two sorted arrays. Of equal keys those of the first come first.

#include <cub/device/device_merge_sort.cuh>

#include <cstdint>

namespace cub {

struct DeviceMerge {
  template <class Keys1, class Values1, class Keys2, class Values2, class Keys, class Values,
            class Smaller = detail::SmallerKey>
  static cudaError_t MergePairs(void* storage, std::size_t& bytes, Keys1 keys1, Values1 values1,
                                std::int64_t count1, Keys2 keys2, Values2 values2,
                                std::int64_t count2, Keys keys, Values values, Smaller less = {},
                                cudaStream_t stream = nullptr) {
    return merge<Keys1>("cub::DeviceMerge::MergePairs", storage, bytes, keys1, count1, keys2,
                        count2, less, stream,
                        [=](std::int64_t to, bool first, std::int64_t from) mutable {
                          if (first) {
                            keys[to] = keys1[from];
                            values[to] = values1[from];
                          } else {
                            keys[to] = keys2[from];
                            values[to] = values2[from];
                          }
                        });
  }
  template <class Keys1, class Keys2, class Keys, class Smaller = detail::SmallerKey>
  static cudaError_t MergeKeys(void* storage, std::size_t& bytes, Keys1 keys1, std::int64_t count1,
                               Keys2 keys2, std::int64_t count2, Keys keys, Smaller less = {},
                               cudaStream_t stream = nullptr) {
    return merge<Keys1>("cub::DeviceMerge::MergeKeys", storage, bytes, keys1, count1, keys2, count2,
                        less, stream, [=](std::int64_t to, bool first, std::int64_t from) mutable {
                          if (first) {
                            keys[to] = keys1[from];
                          } else {
                            keys[to] = keys2[from];
                          }
                        });
  }

 private:
  template <class Keys1, class Keys2, class Smaller, class Copy>
  static cudaError_t merge(const char* name, void* storage, std::size_t& bytes, Keys1 keys1,
                           std::int64_t count1, Keys2 keys2, std::int64_t count2, Smaller less,
                           cudaStream_t stream, Copy copy) {
    using Key = detail::value_of<Keys1>;
    return detail::device_wide(name, storage, bytes, 0, stream, [=]() mutable {
      std::int64_t a = 0, b = 0;
      while (a < count1 || b < count2) {
        const bool first =
            b == count2 || (a < count1 && !detail::less_of<Key>(less, keys2[b], keys1[a]));
        const std::int64_t to = a + b;
        copy(to, first, first ? a++ : b++);
      }
    });
  }
};

}  // namespace cub
