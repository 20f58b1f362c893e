#pragma once

// Cooperative groups: the threads that work together as an object.

#include <cuda_runtime.h>
#include <simt/group_block.h>
#include <simt/group_warp.h>

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

}  // namespace cooperative_groups
