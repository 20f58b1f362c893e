#pragma once

// PTX's special registers, by their names: what `mov.u32 %0, %laneid` and the like become.

#include <simt/self.h>
#include <simt/sync.h>

namespace simt::special {

inline constexpr unsigned multiprocessors = 132;

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
  return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % multiprocessors;
}
inline unsigned nsmid() {
  return multiprocessors;
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
inline unsigned long long globaltimer() {
  return global_timer();
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

}  // namespace simt::special
