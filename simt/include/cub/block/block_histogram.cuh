#pragma once

// Counts of a block's items in a histogram of the program's own, in shared memory mostly.

#include <cub/util_ptx.cuh>

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int DimX, int Items, int Bins,
          BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int DimY = 1, int DimZ = 1,
          int LegacyArch = 0>
class BlockHistogram {
  static constexpr int threads = DimX * DimY * DimZ;

 public:
  using TempStorage = NullType;

  BlockHistogram() = default;
  explicit BlockHistogram(TempStorage&) {}

  template <class Counter>
  void InitHistogram(Counter* histogram) {
    for (int i = static_cast<int>(simt::thread_rank()); i < Bins; i += threads) histogram[i] = 0;
  }
  template <class Counter>
  void Composite(T (&items)[Items], Counter* histogram) {
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) {
      Counter& counter = histogram[static_cast<unsigned>(items[i])];
      simt::atomic_rmw(&counter, [](Counter old) { return static_cast<Counter>(old + 1); });
    }
  }
  template <class Counter>
  void Histogram(T (&items)[Items], Counter* histogram) {
    InitHistogram(histogram);
    Composite(items, histogram);
  }
};

}  // namespace cub
