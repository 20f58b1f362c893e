#pragma once

// Stores of a tile: the opposite of block_load.cuh.

#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cub/util_ptx.cuh>

#include <climits>

namespace cub {

template <class T, int Items, class Iterator>
void StoreDirectBlocked(int thread, Iterator output, T (&items)[Items], int valid = INT_MAX) {
  for (int i = 0; i < Items; ++i) {
    if (thread * Items + i < valid) output[thread * Items + i] = items[i];
  }
}
template <class T, int Items>
void StoreDirectBlockedVectorized(int thread, T* output, T (&items)[Items]) {
  StoreDirectBlocked(thread, output, items);
}
template <int Threads, class T, int Items, class Iterator>
void StoreDirectStriped(int thread, Iterator output, T (&items)[Items], int valid = INT_MAX) {
  for (int i = 0; i < Items; ++i) {
    if (thread + i * Threads < valid) output[thread + i * Threads] = items[i];
  }
}
template <class T, int Items, class Iterator>
void StoreDirectWarpStriped(int thread, Iterator output, T (&items)[Items], int valid = INT_MAX) {
  const int first = thread / 32 * 32 * Items;
  StoreDirectStriped<32>(thread % 32, output + first, items,
                         valid == INT_MAX ? valid : valid - first);
}

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int DimX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockStore {
  static constexpr int threads = DimX * DimY * DimZ;

 public:
  using TempStorage = NullType;

  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator output, T (&items)[Items], int valid = INT_MAX) {
    const int rank = static_cast<int>(simt::thread_rank());
    if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<threads>(rank, output, items, valid);
    } else {
      StoreDirectBlocked(rank, output, items, valid);
    }
  }
};

}  // namespace cub
