#pragma once

// Shuffles over a whole block.

#include <cub/block/block_neighbours.cuh>

namespace cub {

template <class T, int DimX, int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockShuffle {
  static constexpr int threads = DimX * DimY * DimZ;
  using Storage = detail::Neighbours<T, threads>;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockShuffle() : BlockShuffle(own_storage()) {}
  explicit BlockShuffle(TempStorage& storage)
      : storage_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

  // Past the ends the output stays as it is.
  void Offset(T input, T& output, int distance = 1) {
    publish(input);
    const int from = rank_ + distance;
    if (from >= 0 && from < threads) output = storage_.first[from];
  }
  void Rotate(T input, T& output, unsigned distance = 1) {
    publish(input);
    output = storage_.first[(static_cast<unsigned>(rank_) + distance) % threads];
  }
  // One item to the right; the first stays as it is.
  template <int Items>
  void Up(T (&input)[Items], T (&output)[Items]) {
    storage_.publish(input);
    for (int i = Items - 1; i > 0; --i) output[i] = input[i - 1];
    if (rank_ > 0) output[0] = storage_.last[rank_ - 1];
  }
  template <int Items>
  void Up(T (&input)[Items], T (&output)[Items], T& block_suffix) {
    Up(input, output);
    block_suffix = storage_.last[threads - 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&output)[Items]) {
    storage_.publish(input);
    for (int i = 0; i + 1 < Items; ++i) output[i] = input[i + 1];
    if (rank_ + 1 < threads) output[Items - 1] = storage_.first[rank_ + 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&output)[Items], T& block_prefix) {
    Down(input, output);
    block_prefix = storage_.first[0];
  }

 private:
  void publish(const T& input) {
    const T one[1] = {input};
    storage_.publish(one);
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
  int rank_;
};

}  // namespace cub
