#pragma once

// Loads and stores of a tile by the threads of a (logical) warp.

#include <cub/block/block_load.cuh>

namespace cub {

enum WarpLoadAlgorithm {
  WARP_LOAD_DIRECT,
  WARP_LOAD_STRIPED,
  WARP_LOAD_VECTORIZE,
  WARP_LOAD_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Threads = 32,
          int LegacyArch = 0>
class WarpLoad {
 public:
  using TempStorage = NullType;

  WarpLoad() = default;
  explicit WarpLoad(TempStorage&) {}

  template <class Iterator, class... Limits>
  void Load(Iterator input, T (&items)[Items], Limits... limits) {
    const int lane = static_cast<int>(simt::lane_id()) % Threads;
    if constexpr (Algorithm == WARP_LOAD_STRIPED) {
      LoadDirectStriped<Threads>(lane, input, items, limits...);
    } else {
      LoadDirectBlocked(lane, input, items, limits...);
    }
  }
};

}  // namespace cub
