#pragma once

// Loads of a tile: thread t gets items t*N, t*N+1, ... (blocked) or t, t+threads, ... (striped).

#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

template <class T, int Items, class Iterator>
void LoadDirectBlocked(int thread, Iterator input, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = input[thread * Items + i];
}
template <class T, int Items, class Iterator>
void LoadDirectBlocked(int thread, Iterator input, T (&items)[Items], int valid) {
  for (int i = 0; i < Items; ++i) {
    if (thread * Items + i < valid) items[i] = input[thread * Items + i];
  }
}
template <class T, class Default, int Items, class Iterator>
void LoadDirectBlocked(int thread, Iterator input, T (&items)[Items], int valid, Default other) {
  for (int i = 0; i < Items; ++i) items[i] = other;
  LoadDirectBlocked(thread, input, items, valid);
}
template <class T, int Items>
void LoadDirectBlockedVectorized(int thread, T* input, T (&items)[Items]) {
  LoadDirectBlocked(thread, input, items);
}

template <int Threads, class T, int Items, class Iterator>
void LoadDirectStriped(int thread, Iterator input, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = input[thread + i * Threads];
}
template <int Threads, class T, int Items, class Iterator>
void LoadDirectStriped(int thread, Iterator input, T (&items)[Items], int valid) {
  for (int i = 0; i < Items; ++i) {
    if (thread + i * Threads < valid) items[i] = input[thread + i * Threads];
  }
}
template <int Threads, class T, class Default, int Items, class Iterator>
void LoadDirectStriped(int thread, Iterator input, T (&items)[Items], int valid, Default other) {
  for (int i = 0; i < Items; ++i) items[i] = other;
  LoadDirectStriped<Threads>(thread, input, items, valid);
}

// Striped within each warp, the warps one after the other.
template <class T, int Items, class Iterator>
void LoadDirectWarpStriped(int thread, Iterator input, T (&items)[Items]) {
  LoadDirectStriped<32>(thread % 32, input + thread / 32 * 32 * Items, items);
}
template <class T, int Items, class Iterator>
void LoadDirectWarpStriped(int thread, Iterator input, T (&items)[Items], int valid) {
  const int first = thread / 32 * 32 * Items;
  LoadDirectStriped<32>(thread % 32, input + first, items, valid - first);
}

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// All algorithms but the striped one give the blocked arrangement; here they differ in nothing.
template <class T, int DimX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT,
          int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockLoad {
  static constexpr int threads = DimX * DimY * DimZ;

 public:
  using TempStorage = NullType;

  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}

  template <class Iterator, class... Limits>
  void Load(Iterator input, T (&items)[Items], Limits... limits) {
    const int rank = static_cast<int>(simt::thread_rank());
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<threads>(rank, input, items, limits...);
    } else {
      LoadDirectBlocked(rank, input, items, limits...);
    }
  }
};

}  // namespace cub
