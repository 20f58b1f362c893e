#pragma once

// Reductions over the lanes of a (logical) warp, by shuffles. The result is the first lane's.

#include <cub/thread/thread_reduce.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

template <class T, int LogicalThreads = 32, int LegacyArch = 0>
class WarpReduce {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= 32, "a warp has up to 32 threads");

 public:
  using TempStorage = NullType;

  explicit WarpReduce(TempStorage&) : lane_(rank_in_warp()) {}

  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  T Max(T input) { return Reduce(input, cub::Max()); }
  T Max(T input, int valid) { return Reduce(input, cub::Max(), valid); }
  T Min(T input) { return Reduce(input, cub::Min()); }
  T Min(T input, int valid) { return Reduce(input, cub::Min(), valid); }
  template <int Items>
  T Sum(const T (&input)[Items]) {
    return Sum(ThreadReduce(input, cub::Sum()));
  }

  template <class Op>
  T Reduce(T input, Op op, int valid = LogicalThreads) {
    for (int offset = 1; offset < LogicalThreads; offset *= 2) {
      const T other = from_above(input, offset);
      if (lane_ + offset < valid) input = simt::call_op(op, input, other);
    }
    return input;
  }
  template <int Items, class Op>
  T Reduce(const T (&input)[Items], Op op) {
    return Reduce(ThreadReduce(input, op), op);
  }

  template <class Flag>
  T HeadSegmentedSum(T input, Flag head) {
    return HeadSegmentedReduce(input, head, cub::Sum());
  }
  template <class Flag>
  T TailSegmentedSum(T input, Flag tail) {
    return TailSegmentedReduce(input, tail, cub::Sum());
  }
  template <class Flag, class Op>
  T HeadSegmentedReduce(T input, Flag head, Op op) {
    const unsigned heads = flags_of(static_cast<bool>(head)) >> 1;  // a head ends the one before
    return reduce_to(input, segment_end(heads), op);
  }
  template <class Flag, class Op>
  T TailSegmentedReduce(T input, Flag tail, Op op) {
    return reduce_to(input, segment_end(flags_of(static_cast<bool>(tail))), op);
  }

 private:
  static constexpr bool is_power = (LogicalThreads & (LogicalThreads - 1)) == 0;
  static constexpr int width = is_power ? LogicalThreads : 32;

  static int rank_in_warp() {
    return static_cast<int>(simt::lane_id()) % (is_power ? LogicalThreads : 32);
  }
  static unsigned mask() {
    return WarpMask<LogicalThreads>(is_power ? simt::lane_id() / LogicalThreads : 0);
  }
  static T from_above(const T& value, int offset) {
    return ShuffleDown<width>(value, offset, 0, mask());
  }
  // Bit i: the flag of lane i of the logical warp.
  unsigned flags_of(bool flag) const {
    return __ballot_sync(mask(), flag) >> (static_cast<int>(simt::lane_id()) - lane_);
  }
  // The last lane of the segment that this lane is in, given the bits of last lanes.
  int segment_end(unsigned ends) const {
    const unsigned later = ends >> lane_ << lane_;
    const int end = later != 0 ? __builtin_ctz(later) : 31;
    return end < LogicalThreads ? end : LogicalThreads - 1;
  }
  template <class Op>
  T reduce_to(T input, int end, Op op) {
    for (int offset = 1; offset < LogicalThreads; offset *= 2) {
      const T other = from_above(input, offset);
      if (lane_ + offset <= end) input = simt::call_op(op, input, other);
    }
    return input;
  }

  int lane_;
};

}  // namespace cub
