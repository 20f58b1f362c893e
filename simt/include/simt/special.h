#pragma once

// PTX's special registers, by their names: what `mov.u32 %0, %laneid` and the like become.

#include <simt/cluster.h>
#include <simt/self.h>
#include <simt/shared.h>
#include <simt/sync.h>

namespace simt::special {

// An H100's 132, or what SIMT_MULTIPROCESSORS says: a small one has a persistent kernel go round
// more than once on a small problem.
unsigned multiprocessors();

inline unsigned laneid() {
  return lane_id();
}
inline unsigned warpid() {
  return warp_id();
}
inline unsigned nwarpid() {
  return 64;
}
// Blocks have no home on a CPU: the numbers are spread as an idle GPU would.
inline unsigned smid() {
  return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % multiprocessors();
}
inline unsigned nsmid() {
  return multiprocessors();
}
inline unsigned gridid() {
  return front->grid_generation;
}
inline unsigned lanemask_eq() {
  return lane_mask();
}
inline unsigned lanemask_lt() {
  return lane_mask() - 1;
}
inline unsigned lanemask_le() {
  return lane_mask() | (lane_mask() - 1);
}
inline unsigned lanemask_gt() {
  return ~lanemask_le();
}
inline unsigned lanemask_ge() {
  return ~lanemask_lt();
}
inline unsigned clock() {
  return static_cast<unsigned>(::clock64());
}
inline unsigned long long clock64() {
  return static_cast<unsigned long long>(::clock64());
}
inline unsigned clock_hi() {
  return static_cast<unsigned>(clock64() >> 32);
}
inline unsigned long long globaltimer() {
  return global_timer();
}
inline unsigned globaltimer_lo() {
  return static_cast<unsigned>(globaltimer());
}
inline unsigned globaltimer_hi() {
  return static_cast<unsigned>(globaltimer() >> 32);
}
inline unsigned tid_x() {
  return threadIdx.x;
}
inline unsigned tid_y() {
  return threadIdx.y;
}
inline unsigned tid_z() {
  return threadIdx.z;
}
inline unsigned ntid_x() {
  return blockDim.x;
}
inline unsigned ntid_y() {
  return blockDim.y;
}
inline unsigned ntid_z() {
  return blockDim.z;
}
inline unsigned ctaid_x() {
  return blockIdx.x;
}
inline unsigned ctaid_y() {
  return blockIdx.y;
}
inline unsigned ctaid_z() {
  return blockIdx.z;
}
inline unsigned nctaid_x() {
  return gridDim.x;
}
inline unsigned nctaid_y() {
  return gridDim.y;
}
inline unsigned nctaid_z() {
  return gridDim.z;
}
inline unsigned clusterid_x() {
  return cluster_index().x;
}
inline unsigned clusterid_y() {
  return cluster_index().y;
}
inline unsigned clusterid_z() {
  return cluster_index().z;
}
inline unsigned nclusterid_x() {
  return grid_in_clusters().x;
}
inline unsigned nclusterid_y() {
  return grid_in_clusters().y;
}
inline unsigned nclusterid_z() {
  return grid_in_clusters().z;
}
inline unsigned cluster_ctaid_x() {
  return index_in_cluster().x;
}
inline unsigned cluster_ctaid_y() {
  return index_in_cluster().y;
}
inline unsigned cluster_ctaid_z() {
  return index_in_cluster().z;
}
inline unsigned cluster_nctaid_x() {
  return cluster_size().x;
}
inline unsigned cluster_nctaid_y() {
  return cluster_size().y;
}
inline unsigned cluster_nctaid_z() {
  return cluster_size().z;
}
inline unsigned cluster_ctarank() {
  return cluster_rank();
}
inline unsigned cluster_nctarank() {
  return cluster_blocks();
}
inline bool is_explicit_cluster() {
  return cluster_blocks() > 1;
}
inline unsigned dynamic_smem_size() {
  return static_cast<unsigned>(dynamic_shared_size());
}

}  // namespace simt::special
