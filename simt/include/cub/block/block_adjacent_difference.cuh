#pragma once

// op(item, its neighbour) over a block; the item at the border stays, unless its neighbour is
// given.

#include <cub/block/block_neighbours.cuh>

namespace cub {

template <class T, int DimX, int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockAdjacentDifference {
  static constexpr int threads = DimX * DimY * DimZ;
  using Storage = detail::Neighbours<T, threads>;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockAdjacentDifference() : BlockAdjacentDifference(own_storage()) {}
  explicit BlockAdjacentDifference(TempStorage& storage)
      : storage_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

  template <int Items, class Output, class Op>
  void SubtractLeft(T (&input)[Items], Output (&output)[Items], Op op) {
    left(input, output, op, nullptr);
  }
  template <int Items, class Output, class Op>
  void SubtractLeft(T (&input)[Items], Output (&output)[Items], Op op, T before) {
    left(input, output, op, &before);
  }
  template <int Items, class Output, class Op>
  void SubtractRight(T (&input)[Items], Output (&output)[Items], Op op) {
    right(input, output, op, nullptr);
  }
  template <int Items, class Output, class Op>
  void SubtractRight(T (&input)[Items], Output (&output)[Items], Op op, T after) {
    right(input, output, op, &after);
  }

 private:
  template <int Items, class Output, class Op>
  void left(T (&input)[Items], Output (&output)[Items], Op& op, const T* before) {
    storage_.publish(input);
    for (int i = Items - 1; i > 0; --i) output[i] = simt::call_op(op, input[i], input[i - 1]);
    const T* const other = rank_ > 0 ? &storage_.last[rank_ - 1] : before;
    output[0] = other != nullptr ? simt::call_op(op, input[0], *other) : input[0];
  }
  template <int Items, class Output, class Op>
  void right(T (&input)[Items], Output (&output)[Items], Op& op, const T* after) {
    storage_.publish(input);
    for (int i = 0; i + 1 < Items; ++i) output[i] = simt::call_op(op, input[i], input[i + 1]);
    const T* const other = rank_ + 1 < threads ? &storage_.first[rank_ + 1] : after;
    output[Items - 1] =
        other != nullptr ? simt::call_op(op, input[Items - 1], *other) : input[Items - 1];
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
  int rank_;
};

}  // namespace cub
