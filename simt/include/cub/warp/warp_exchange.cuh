#pragma once

// Moves the items of a (logical) warp between arrangements, through shared memory.

#include <cub/util_ptx.cuh>

namespace cub {

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int Items, int Threads = 32, int LegacyArch = 0,
          WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
  struct Slots {
    T items[Threads * Items];
  };

 public:
  struct TempStorage : Uninitialized<Slots> {};

  explicit WarpExchange(TempStorage& storage)
      : slots_(storage.Alias()), lane_(static_cast<int>(simt::lane_id()) % Threads) {}

  template <class Output>
  void BlockedToStriped(const T (&input)[Items], Output (&output)[Items]) {
    for (int i = 0; i < Items; ++i) slots_.items[lane_ * Items + i] = input[i];
    sync();
    for (int i = 0; i < Items; ++i) output[i] = slots_.items[lane_ + i * Threads];
  }
  template <class Output>
  void StripedToBlocked(const T (&input)[Items], Output (&output)[Items]) {
    for (int i = 0; i < Items; ++i) slots_.items[lane_ + i * Threads] = input[i];
    sync();
    for (int i = 0; i < Items; ++i) output[i] = slots_.items[lane_ * Items + i];
  }
  template <class Output, class Offset>
  void ScatterToStriped(const T (&input)[Items], Output (&output)[Items], Offset (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) slots_.items[ranks[i]] = input[i];
    sync();
    for (int i = 0; i < Items; ++i) output[i] = slots_.items[lane_ + i * Threads];
  }
  template <class Offset>
  void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  static void sync() { WARP_SYNC(WarpMask<Threads>(simt::lane_id() / Threads)); }

  Slots& slots_;
  int lane_;
};

}  // namespace cub
