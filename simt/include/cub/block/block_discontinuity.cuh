#pragma once

// Flags where neighbouring items of a block differ. The first item of the block is a head and the
// last a tail, unless the item beside it is given.

#include <cub/block/block_neighbours.cuh>
#include <cub/thread/thread_operators.cuh>

namespace cub {

template <class T, int DimX, int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockDiscontinuity {
  static constexpr int threads = DimX * DimY * DimZ;
  using Storage = detail::Neighbours<T, threads>;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockDiscontinuity() : BlockDiscontinuity(own_storage()) {}
  explicit BlockDiscontinuity(TempStorage& storage)
      : storage_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Op op) {
    storage_.publish(items);
    flag_heads(heads, items, op, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Op op, T before) {
    storage_.publish(items);
    flag_heads(heads, items, op, &before);
  }
  template <int Items, class Flag, class Op>
  void FlagTails(Flag (&tails)[Items], T (&items)[Items], Op op) {
    storage_.publish(items);
    flag_tails(tails, items, op, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagTails(Flag (&tails)[Items], T (&items)[Items], Op op, T after) {
    storage_.publish(items);
    flag_tails(tails, items, op, &after);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&items)[Items], Op op) {
    storage_.publish(items);
    flag_heads(heads, items, op, nullptr);
    flag_tails(tails, items, op, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T after, T (&items)[Items],
                         Op op) {
    storage_.publish(items);
    flag_heads(heads, items, op, nullptr);
    flag_tails(tails, items, op, &after);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], T before, Flag (&tails)[Items], T after,
                         T (&items)[Items], Op op) {
    storage_.publish(items);
    flag_heads(heads, items, op, &before);
    flag_tails(tails, items, op, &after);
  }

 private:
  // The operation may want the index of the second item as well.
  template <class Op>
  static bool differ(Op& op, const T& a, const T& b, int index) {
    if constexpr (std::is_invocable_v<Op&, T&, T&, int&>) {
      return simt::call_op(op, a, b, index);
    } else {
      return simt::call_op(op, a, b);
    }
  }
  template <int Items, class Flag, class Op>
  void flag_heads(Flag (&heads)[Items], T (&items)[Items], Op& op, const T* before) {
    for (int i = 0; i < Items; ++i) {
      const T* const other = i > 0 ? &items[i - 1] : rank_ > 0 ? &storage_.last[rank_ - 1] : before;
      heads[i] = other == nullptr || differ(op, *other, items[i], rank_ * Items + i);
    }
  }
  template <int Items, class Flag, class Op>
  void flag_tails(Flag (&tails)[Items], T (&items)[Items], Op& op, const T* after) {
    for (int i = 0; i < Items; ++i) {
      const T* const other = i + 1 < Items         ? &items[i + 1]
                             : rank_ + 1 < threads ? &storage_.first[rank_ + 1]
                                                   : after;
      tails[i] = other == nullptr || differ(op, items[i], *other, rank_ * Items + i + 1);
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
