#pragma once

// Moves a block's items between arrangements, through shared memory.

#include <cub/util_ptx.cuh>

namespace cub {

template <class T, int DimX, int Items, bool TimeSlicing = false, int DimY = 1, int DimZ = 1,
          int LegacyArch = 0>
class BlockExchange {
  static constexpr int threads = DimX * DimY * DimZ;

  struct Slots {
    T items[threads * Items];
  };

 public:
  struct TempStorage : Uninitialized<Slots> {};

  BlockExchange() : BlockExchange(own_storage()) {}
  explicit BlockExchange(TempStorage& storage)
      : slots_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

#define SIMT_CUB_EXCHANGE(NAME, FROM, TO)                                                   \
  template <class Output>                                                                   \
  void NAME(const T(&input)[Items], Output(&output)[Items]) {                               \
    move(                                                                                   \
        input, output, [this](int i) { return FROM(i); }, [this](int i) { return TO(i); }); \
  }                                                                                         \
  void NAME(T(&items)[Items]) {                                                             \
    NAME(items, items);                                                                     \
  }
  SIMT_CUB_EXCHANGE(StripedToBlocked, striped, blocked)
  SIMT_CUB_EXCHANGE(BlockedToStriped, blocked, striped)
  SIMT_CUB_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  SIMT_CUB_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef SIMT_CUB_EXCHANGE

// Item i goes to place ranks[i] of the block; a negative rank goes nowhere when guarded.
#define SIMT_CUB_SCATTER(NAME, TO)                                                   \
  template <class Output, class Offset>                                              \
  void NAME(const T(&input)[Items], Output(&output)[Items], Offset(&ranks)[Items]) { \
    move(                                                                            \
        input, output, [&](int i) { return static_cast<int>(ranks[i]); },            \
        [this](int i) { return TO(i); });                                            \
  }                                                                                  \
  template <class Offset>                                                            \
  void NAME(T(&items)[Items], Offset(&ranks)[Items]) {                               \
    NAME(items, items, ranks);                                                       \
  }
  SIMT_CUB_SCATTER(ScatterToBlocked, blocked)
  SIMT_CUB_SCATTER(ScatterToStriped, striped)
  SIMT_CUB_SCATTER(ScatterToStripedGuarded, striped)
#undef SIMT_CUB_SCATTER

  template <class Output, class Offset, class Flag>
  void ScatterToStripedFlagged(const T (&input)[Items], Output (&output)[Items],
                               Offset (&ranks)[Items], Flag (&valid)[Items]) {
    move(
        input, output, [&](int i) { return valid[i] ? static_cast<int>(ranks[i]) : -1; },
        [this](int i) { return striped(i); });
  }

 private:
  int blocked(int i) const {
    return rank_ * Items + i;
  }
  int striped(int i) const {
    return rank_ + i * threads;
  }
  int warp_striped(int i) const {
    return rank_ / 32 * 32 * Items + rank_ % 32 + i * 32;
  }

  template <class Output, class From, class To>
  void move(const T (&input)[Items], Output (&output)[Items], From from, To to) {
    for (int i = 0; i < Items; ++i) {
      const int place = from(i);
      if (place >= 0) slots_.items[place] = input[i];
    }
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) output[i] = slots_.items[to(i)];
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Slots& slots_;
  int rank_;
};

}  // namespace cub
