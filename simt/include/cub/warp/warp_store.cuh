#pragma once

#include <cub/block/block_store.cuh>

namespace cub {

enum WarpStoreAlgorithm {
  WARP_STORE_DIRECT,
  WARP_STORE_STRIPED,
  WARP_STORE_VECTORIZE,
  WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32,
          int LegacyArch = 0>
class WarpStore {
 public:
  using TempStorage = NullType;

  WarpStore() = default;
  explicit WarpStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator output, T (&items)[Items], int valid = INT_MAX) {
    const int lane = static_cast<int>(simt::lane_id()) % Threads;
    if constexpr (Algorithm == WARP_STORE_STRIPED) {
      StoreDirectStriped<Threads>(lane, output, items, valid);
    } else {
      StoreDirectBlocked(lane, output, items, valid);
    }
  }
};

}  // namespace cub
