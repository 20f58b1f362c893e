#pragma once

// Prefix sums over the lanes of a (logical) warp, by shuffles.

#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

template <class T, int LogicalThreads = 32, int LegacyArch = 0>
class WarpScan {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= 32, "a warp has up to 32 threads");

 public:
  using TempStorage = NullType;

  explicit WarpScan(TempStorage&)
      : lane_(static_cast<int>(simt::lane_id()) % (is_power ? LogicalThreads : 32)) {}

  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T& output, T& total) {
    InclusiveScan(input, output, cub::Sum(), total);
  }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cub::Sum()); }
  void ExclusiveSum(T input, T& output, T& total) {
    ExclusiveScan(input, output, T{}, cub::Sum(), total);
  }

  template <class Op>
  void InclusiveScan(T input, T& output, Op op) {
    for (int offset = 1; offset < LogicalThreads; offset *= 2) {
      const T other = ShuffleUp<width>(input, offset, 0, mask());
      if (lane_ >= offset) input = simt::call_op(op, other, input);
    }
    output = input;
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, T& total) {
    InclusiveScan(input, output, op);
    total = Broadcast(output, LogicalThreads - 1);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, T init, Op op) {
    InclusiveScan(input, output, op);
    output = simt::call_op(op, init, output);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, T init, Op op, T& total) {
    InclusiveScan(input, output, op, total);
    output = simt::call_op(op, init, output);
  }

  // Without a first value the first lane's output is not set.
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op) {
    T inclusive;
    Scan(input, inclusive, output, op);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T init, Op op) {
    T inclusive;
    Scan(input, inclusive, output, init, op);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op, T& total) {
    T inclusive;
    Scan(input, inclusive, output, op);
    total = Broadcast(inclusive, LogicalThreads - 1);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T init, Op op, T& total) {
    T inclusive;
    InclusiveScan(input, inclusive, op, total);
    const T before = ShuffleUp<width>(inclusive, 1, 0, mask());
    output = lane_ == 0 ? init : simt::call_op(op, init, before);
  }

  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, Op op) {
    InclusiveScan(input, inclusive, op);
    const T before = ShuffleUp<width>(inclusive, 1, 0, mask());
    if (lane_ != 0) exclusive = before;
  }
  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, T init, Op op) {
    InclusiveScan(input, inclusive, op);
    const T before = ShuffleUp<width>(inclusive, 1, 0, mask());
    exclusive = lane_ == 0 ? init : simt::call_op(op, init, before);
    inclusive = simt::call_op(op, init, inclusive);
  }

  T Broadcast(T input, unsigned lane) {
    return ShuffleIndex<width>(input, static_cast<int>(lane), mask());
  }

 private:
  static constexpr bool is_power = (LogicalThreads & (LogicalThreads - 1)) == 0;
  static constexpr int width = is_power ? LogicalThreads : 32;

  static unsigned mask() {
    return WarpMask<LogicalThreads>(is_power ? simt::lane_id() / LogicalThreads : 0);
  }

  int lane_;
};

}  // namespace cub
