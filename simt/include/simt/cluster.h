#pragma once

// Thread block clusters: blocks that run side by side, meet at a barrier and reach into each
// other's shared memory. A launch without clusters is one of clusters of one block.

#include <simt/self.h>
#include <simt/sync.h>

#include <cstddef>

namespace simt {

// Barriers at which arriving and waiting are two calls: PTX's barrier.cluster, and the same over
// the threads of one block. Threads that have returned count as arrived.
enum class BarrierScope : unsigned char { block, cluster };
void barrier_arrive(BarrierScope scope, Site site);
void barrier_wait(BarrierScope scope, Site site);

// The variable at the same place in the shared memory of the cluster's block `rank`.
void* map_shared_rank(const void* pointer, unsigned rank, Site site);
// Which block's shared memory holds the address.
unsigned query_shared_rank(const void* pointer, Site site);
bool is_cluster_shared(const void* pointer);

// What `__cluster_dims__` becomes, as the kernel's first statement. A launch with other clusters is
// given up here, before the kernel did anything, and started again with these.
void need_cluster(dim3 size);
inline void in_clusters_of(unsigned x, unsigned y = 1, unsigned z = 1) {
  const dim3& now = front->cluster_size;
  if (now.x != x || now.y != y || now.z != z) need_cluster(dim3(x, y, z));
}

inline dim3 cluster_size() {
  return front->cluster_size;
}
inline unsigned cluster_rank() {
  return front->cluster_rank;
}
inline unsigned cluster_blocks() {
  const dim3& size = front->cluster_size;
  return size.x * size.y * size.z;
}
// This block's place in its cluster, the cluster's in the grid, and the grid's size in clusters.
inline uint3 index_in_cluster() {
  const dim3& size = front->cluster_size;
  return uint3{blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z};
}
inline uint3 cluster_index() {
  const dim3& size = front->cluster_size;
  return uint3{blockIdx.x / size.x, blockIdx.y / size.y, blockIdx.z / size.z};
}
inline dim3 grid_in_clusters() {
  const dim3& size = front->cluster_size;
  return dim3(gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z);
}

}  // namespace simt

inline dim3 __clusterDim() {
  return simt::cluster_size();
}
inline dim3 __clusterRelativeBlockIdx() {
  return simt::index_in_cluster();
}
inline dim3 __clusterGridDimInClusters() {
  return simt::grid_in_clusters();
}
inline dim3 __clusterIdx() {
  return simt::cluster_index();
}
inline unsigned __clusterRelativeBlockRank() {
  return simt::cluster_rank();
}
inline unsigned __clusterSizeInBlocks() {
  return simt::cluster_blocks();
}
inline unsigned __clusterDimIsSpecified() {
  return simt::cluster_blocks() > 1;
}

inline void __cluster_barrier_arrive(SIMT_HERE) {
  simt::barrier_arrive(simt::BarrierScope::cluster, {file, line});
}
inline void __cluster_barrier_arrive_relaxed(SIMT_HERE) {
  simt::barrier_arrive(simt::BarrierScope::cluster, {file, line});
}
inline void __cluster_barrier_wait(SIMT_HERE) {
  simt::barrier_wait(simt::BarrierScope::cluster, {file, line});
}
inline void* __cluster_map_shared_rank(const void* pointer, unsigned rank, SIMT_HERE) {
  return simt::map_shared_rank(pointer, rank, {file, line});
}
inline unsigned __cluster_query_shared_rank(const void* pointer, SIMT_HERE) {
  return simt::query_shared_rank(pointer, {file, line});
}
inline unsigned __isClusterShared(const void* pointer) {
  return simt::is_cluster_shared(pointer);
}
