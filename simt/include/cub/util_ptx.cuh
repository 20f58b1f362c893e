#pragma once

// Lanes and shuffles of any type.

#include <cub/util_type.cuh>

namespace cub {

inline unsigned LaneId() {
  return simt::lane_id();
}
inline unsigned WarpId() {
  return simt::warp_id();
}
inline unsigned LaneMaskLt() {
  return simt::lane_mask() - 1;
}
inline unsigned LaneMaskLe() {
  return LaneMaskLt() | simt::lane_mask();
}
inline unsigned LaneMaskGt() {
  return ~LaneMaskLe();
}
inline unsigned LaneMaskGe() {
  return ~LaneMaskLt();
}
inline int RowMajorTid(int, int, int) {
  return static_cast<int>(simt::thread_rank());
}
inline void CTA_SYNC(SIMT_HERE) {
  simt::block_barrier(simt::Barrier::sync, 0, {file, line});
}
inline void WARP_SYNC(unsigned mask, SIMT_HERE) {
  simt::warp_word(simt::WarpOp::sync, mask, 0, {file, line});
}

template <int LogicalThreads, class T>
T ShuffleUp(T value, int offset, int, unsigned mask, SIMT_HERE) {
  return simt::shuffle_value(simt::WarpOp::shfl_up, mask, value, offset, LogicalThreads,
                             {file, line});
}
template <int LogicalThreads, class T>
T ShuffleDown(T value, int offset, int, unsigned mask, SIMT_HERE) {
  return simt::shuffle_value(simt::WarpOp::shfl_down, mask, value, offset, LogicalThreads,
                             {file, line});
}
template <int LogicalThreads, class T>
T ShuffleIndex(T value, int lane, unsigned mask, SIMT_HERE) {
  return simt::shuffle_value(simt::WarpOp::shfl, mask, value, lane, LogicalThreads, {file, line});
}

template <int LogicalThreads>
unsigned WarpMask(unsigned warp) {
  constexpr bool power = (LogicalThreads & (LogicalThreads - 1)) == 0;
  const unsigned lanes = LogicalThreads == 32 ? ~0u : (1u << LogicalThreads) - 1;
  return power ? lanes << (warp * LogicalThreads % 32) : lanes;
}

}  // namespace cub
