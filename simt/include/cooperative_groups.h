#pragma once

// Cooperative groups: the threads that work together as an object.

#include <cuda_runtime.h>
#include <simt/group_block.h>
#include <simt/group_tile.h>
#include <simt/group_warp.h>

#include <utility>

namespace cooperative_groups {

template <class Group>
void sync(const Group& group, SIMT_HERE) {
  group.sync(file, line);
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.num_threads();
}

// One thread of the group calls the function; on a GPU it may be any of them.
template <class Group, class Function, class... Args>
void invoke_one(const Group& group, Function&& function, Args&&... args) {
  if (group.thread_rank() == 0) {
    std::forward<Function>(function)(std::forward<Args>(args)...);
  }
}
// And all get what it returned.
template <class Group, class Function, class... Args>
auto invoke_one_broadcast(const Group& group, Function&& function, Args&&... args) {
  decltype(std::forward<Function>(function)(std::forward<Args>(args)...)) result{};
  if (group.thread_rank() == 0) {
    result = std::forward<Function>(function)(std::forward<Args>(args)...);
  }
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
