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
  // Of the first `valid` items of the block; the others are copied.
  template <int Items, class Output, class Op>
  void SubtractLeftPartialTile(T (&input)[Items], Output (&output)[Items], Op op, int valid) {
    left(input, output, op, nullptr, valid);
  }
  template <int Items, class Output, class Op>
  void SubtractLeftPartialTile(T (&input)[Items], Output (&output)[Items], Op op, int valid,
                               T before) {
    left(input, output, op, &before, valid);
  }
  template <int Items, class Output, class Op>
  void SubtractRightPartialTile(T (&input)[Items], Output (&output)[Items], Op op, int valid) {
    right(input, output, op, nullptr, valid);
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
  void left(T (&input)[Items], Output (&output)[Items], Op& op, const T* before,
            int valid = threads * Items) {
    storage_.publish(input);
    for (int i = Items - 1; i >= 0; --i) {
      const T* const other = i > 0 ? &input[i - 1] : rank_ > 0 ? &storage_.last[rank_ - 1] : before;
      const bool has = other != nullptr && rank_ * Items + i < valid;
      output[i] = has ? static_cast<Output>(simt::call_op(op, input[i], *other))
                      : static_cast<Output>(input[i]);
    }
  }
  template <int Items, class Output, class Op>
  void right(T (&input)[Items], Output (&output)[Items], Op& op, const T* after,
             int valid = threads * Items) {
    storage_.publish(input);
    for (int i = 0; i < Items; ++i) {
      const int at = rank_ * Items + i;
      const T* const other = at + 1 == threads * Items ? after
                             : i + 1 < Items           ? &input[i + 1]
                                                       : &storage_.first[rank_ + 1];
      const bool has = other != nullptr && (at + 1 < valid || other == after);
      output[i] = has ? static_cast<Output>(simt::call_op(op, input[i], *other))
                      : static_cast<Output>(input[i]);
    }
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
  int rank_;
};

}  // namespace cub
