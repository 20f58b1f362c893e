#pragma once

// Copies that a group begins together and waits for together. See simt/async_copy.h for when they
// land.

#include <cooperative_groups.h>
#include <simt/async_copy.h>

#include <cstddef>

namespace simt {

// Each thread takes one run of whole 16-byte pieces.
template <class Group>
void group_copy(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t threads = group.num_threads();
  const std::size_t each = ((bytes + threads - 1) / threads + 15) / 16 * 16;
  const std::size_t first = each * group.thread_rank();
  if (first < bytes) {
    async_copy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
               bytes - first < each ? bytes - first : each, 0);
  }
  async_commit();
}

}  // namespace simt

namespace cooperative_groups {

template <class Group, class T, class Shape>
void memcpy_async(const Group& group, T* __restrict__ to, const T* __restrict__ from,
                  const Shape& bytes) {
  simt::group_copy(group, to, from, static_cast<std::size_t>(bytes));
}
// With the number of elements at both ends: the smaller number of bytes is copied.
template <class Group, class To, class ToShape, class From, class FromShape>
void memcpy_async(const Group& group, To* __restrict__ to, const ToShape& to_count,
                  const From* __restrict__ from, const FromShape& from_count) {
  const std::size_t room = static_cast<std::size_t>(to_count) * sizeof(To);
  const std::size_t there = static_cast<std::size_t>(from_count) * sizeof(From);
  simt::group_copy(group, to, from, room < there ? room : there);
}

template <unsigned Newest, class Group>
void wait_prior(const Group& group, SIMT_HERE) {
  simt::async_wait(Newest);
  group.sync(file, line);
}
template <class Group>
void wait(const Group& group, SIMT_HERE) {
  simt::async_wait(0);
  group.sync(file, line);
}

}  // namespace cooperative_groups
