#pragma once

// Writes out a block's runs: each thread has some runs, an item and how often it comes, and gets some
// items of what they stand for.

#include <cub/block/block_scan.cuh>

#include <cstdint>

namespace cub {

template <class Item, int DimX, int RunsPerThread, int ItemsPerThread, class Offset = std::uint32_t,
          int DimY = 1, int DimZ = 1>
class BlockRunLengthDecode {
  static constexpr int threads = DimX * DimY * DimZ, runs = threads * RunsPerThread;
  using Scan = BlockScan<Offset, DimX, BLOCK_SCAN_RAKING_MEMOIZE, DimY, DimZ>;

  struct Storage {
    typename Scan::TempStorage scan;
    Item items[runs];
    Offset begins[runs];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};

  // By the runs' lengths; `total` gets their sum.
  template <class Length, class Total>
  BlockRunLengthDecode(TempStorage& storage, Item (&items)[RunsPerThread],
                       Length (&lengths)[RunsPerThread], Total& total)
      : storage_(storage.Alias()), rank_(static_cast<Offset>(simt::thread_rank())) {
    keep_lengths(items, lengths, total);
  }
  // By where each run begins.
  template <class Begin>
  BlockRunLengthDecode(TempStorage& storage, Item (&items)[RunsPerThread],
                       Begin (&begins)[RunsPerThread])
      : storage_(storage.Alias()), rank_(static_cast<Offset>(simt::thread_rank())) {
    keep(items, begins);
  }
  template <class Length, class Total>
  BlockRunLengthDecode(Item (&items)[RunsPerThread], Length (&lengths)[RunsPerThread], Total& total)
      : BlockRunLengthDecode(own_storage(), items, lengths, total) {}
  template <class Begin>
  BlockRunLengthDecode(Item (&items)[RunsPerThread], Begin (&begins)[RunsPerThread])
      : BlockRunLengthDecode(own_storage(), items, begins) {}

  // The items from number `first` of all on, in a blocked arrangement, each with its place in its
  // run. Past the end the last run goes on.
  template <class Place>
  void RunLengthDecode(Item (&items)[ItemsPerThread], Place (&places)[ItemsPerThread],
                       Offset first = 0) {
    Offset at = first + rank_ * ItemsPerThread;
    int run = 0;
    for (int low = 1, high = runs; low < high;) {  // the last run that begins at or before `at`
      const int middle = (low + high) / 2;
      const bool before = !(at < storage_.begins[middle]);
      if (before) run = middle;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    for (int i = 0; i < ItemsPerThread; ++i, ++at) {
      while (run + 1 < runs && !(at < storage_.begins[run + 1])) ++run;
      items[i] = storage_.items[run];
      places[i] = static_cast<Place>(at - storage_.begins[run]);
    }
  }
  void RunLengthDecode(Item (&items)[ItemsPerThread], Offset first = 0) {
    Offset places[ItemsPerThread];
    RunLengthDecode(items, places, first);
  }

 private:
  template <class Length, class Total>
  void keep_lengths(Item (&items)[RunsPerThread], Length (&lengths)[RunsPerThread], Total& total) {
    Offset begins[RunsPerThread], sum;
    for (int i = 0; i < RunsPerThread; ++i) begins[i] = static_cast<Offset>(lengths[i]);
    Scan(storage_.scan).ExclusiveSum(begins, begins, sum);
    total = static_cast<Total>(sum);
    keep(items, begins);
  }
  template <class Begin>
  void keep(Item (&items)[RunsPerThread], Begin (&begins)[RunsPerThread]) {
    for (int i = 0; i < RunsPerThread; ++i) {
      storage_.items[rank_ * RunsPerThread + i] = items[i];
      storage_.begins[rank_ * RunsPerThread + i] = static_cast<Offset>(begins[i]);
    }
    CTA_SYNC();
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
  Offset rank_;
};

}  // namespace cub
