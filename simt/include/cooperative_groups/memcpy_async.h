#pragma once

// Copies that a group begins together and waits for together. See simt/async_copy.h for when they
// land.

#include <cooperative_groups.h>
#include <simt/async_copy.h>
#include <simt/memcpy_async.h>

#include <cstddef>

namespace simt {

template <class Group>
void group_copy(const Group& group, void* to, const void* from, std::size_t bytes) {
  each_share(group, to, from, bytes, [](void* part_to, const void* part_from, std::size_t size) {
    async_copy(part_to, part_from, size, 0);
  });
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
