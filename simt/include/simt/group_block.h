#pragma once

// Cooperative groups of a block and more: thread_block, cluster_group, grid_group; and
// thread_group, which can be a block or lanes of a warp. Part of cooperative_groups.h.

#include <simt/cluster.h>
#include <simt/self.h>
#include <simt/sync.h>
#include <simt/warp.h>

namespace cooperative_groups {

// What kind of group it is shows at run time only. Lanes may be missing at the end of a block.
class thread_group {
 public:
  unsigned long long num_threads() const {
    return lanes_ != 0 ? static_cast<unsigned>(__builtin_popcount(lanes_))
                       : simt::front->thread_count;
  }
  unsigned long long size() const { return num_threads(); }
  unsigned long long thread_rank() const {
    return lanes_ != 0 ? static_cast<unsigned>(__builtin_popcount(lanes_ & (simt::lane_mask() - 1)))
                       : simt::thread_rank();
  }
  void sync(SIMT_HERE) const {
    if (lanes_ != 0) {
      simt::warp_word(simt::WarpOp::sync, lanes_, 0, {file, line});
    } else {
      simt::block_barrier(simt::Barrier::sync, 0, {file, line});
    }
  }
  bool is_valid() const { return true; }

 protected:
  explicit thread_group(unsigned lanes) : lanes_(lanes) {}

  unsigned lanes_;  // 0: the whole block

  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
  template <unsigned, class>
  friend class thread_block_tile;
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};

  static void sync(SIMT_HERE) { simt::block_barrier(simt::Barrier::sync, 0, {file, line}); }
  static arrival_token barrier_arrive(SIMT_HERE) {
    simt::barrier_arrive(simt::BarrierScope::block, {file, line});
    return {};
  }
  static void barrier_wait(arrival_token&&, SIMT_HERE) {
    simt::barrier_wait(simt::BarrierScope::block, {file, line});
  }

  static unsigned thread_rank() { return simt::thread_rank(); }
  static unsigned num_threads() { return simt::front->thread_count; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }

 private:
  thread_block() : thread_group(0) {}
  friend thread_block this_thread_block();
};

inline thread_block this_thread_block() {
  return {};
}

class cluster_group {
 public:
  struct arrival_token {};

  static void sync(SIMT_HERE) {
    simt::barrier_arrive(simt::BarrierScope::cluster, {file, line});
    simt::barrier_wait(simt::BarrierScope::cluster, {file, line});
  }
  static arrival_token barrier_arrive(SIMT_HERE) {
    simt::barrier_arrive(simt::BarrierScope::cluster, {file, line});
    return {};
  }
  static void barrier_wait(SIMT_HERE) {
    simt::barrier_wait(simt::BarrierScope::cluster, {file, line});
  }
  static void barrier_wait(arrival_token&&, SIMT_HERE) {
    simt::barrier_wait(simt::BarrierScope::cluster, {file, line});
  }

  static unsigned block_rank() { return simt::cluster_rank(); }
  static unsigned num_blocks() { return simt::cluster_blocks(); }
  static dim3 block_index() { return dim3(simt::index_in_cluster()); }
  static dim3 dim_blocks() { return simt::cluster_size(); }

  static unsigned thread_rank() {
    return simt::cluster_rank() * simt::front->thread_count + simt::thread_rank();
  }
  static unsigned num_threads() { return simt::cluster_blocks() * simt::front->thread_count; }
  static unsigned size() { return num_threads(); }
  static dim3 dim_threads() {
    const dim3 size = simt::cluster_size();
    return dim3(size.x * blockDim.x, size.y * blockDim.y, size.z * blockDim.z);
  }
  static dim3 thread_index() {
    const uint3 block = simt::index_in_cluster();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }

  template <class T>
  static T* map_shared_rank(T* address, int rank, SIMT_HERE) {
    return static_cast<T*>(
        simt::map_shared_rank(address, static_cast<unsigned>(rank), {file, line}));
  }
  static unsigned query_shared_rank(const void* address, SIMT_HERE) {
    return simt::query_shared_rank(address, {file, line});
  }

 private:
  cluster_group() = default;
  friend cluster_group this_cluster();
};

inline cluster_group this_cluster() {
  return {};
}

class grid_group {
 public:
  // Only a cooperative launch can synchronise.
  static bool is_valid() { return simt::is_cooperative_grid(); }
  static void sync(SIMT_HERE) { simt::grid_barrier({file, line}); }

  static unsigned long long block_rank() {
    return linear(blockIdx.x, blockIdx.y, blockIdx.z, gridDim);
  }
  static unsigned long long num_blocks() { return volume(gridDim); }
  static dim3 block_index() { return dim3(blockIdx); }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }

  static unsigned long long thread_rank() {
    return block_rank() * simt::front->thread_count + simt::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * simt::front->thread_count; }
  static unsigned long long size() { return num_threads(); }

  static unsigned long long cluster_rank() {
    const uint3 at = simt::cluster_index();
    return linear(at.x, at.y, at.z, simt::grid_in_clusters());
  }
  static unsigned long long num_clusters() { return volume(simt::grid_in_clusters()); }
  static dim3 cluster_index() { return dim3(simt::cluster_index()); }
  static dim3 dim_clusters() { return simt::grid_in_clusters(); }

 private:
  grid_group() = default;
  friend grid_group this_grid();

  static unsigned long long linear(unsigned x, unsigned y, unsigned z, dim3 size) {
    return x + size.x * (y + static_cast<unsigned long long>(size.y) * z);
  }
  static unsigned long long volume(dim3 size) {
    return static_cast<unsigned long long>(size.x) * size.y * size.z;
  }
};

inline grid_group this_grid() {
  return {};
}

}  // namespace cooperative_groups
