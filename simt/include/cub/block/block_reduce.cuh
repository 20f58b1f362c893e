#pragma once

// Reductions over a block. The result is thread 0's; the storage may be used again after a
// barrier.

#include <cub/warp/warp_reduce.cuh>

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};

template <class T, int DimX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int DimY = 1, int DimZ = 1, int LegacyArch = 0>
class BlockReduce {
  static constexpr int threads = DimX * DimY * DimZ;
  static constexpr bool is_one_warp = threads <= 32;

  struct Slots {
    T values[is_one_warp ? 1 : threads];
  };

 public:
  struct TempStorage : Uninitialized<Slots> {};

  BlockReduce() : BlockReduce(own_storage()) {}
  explicit BlockReduce(TempStorage& storage)
      : slots_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  template <int Items>
  T Sum(T (&input)[Items]) {
    return Reduce(input, cub::Sum());
  }
  template <int Items, class Op>
  T Reduce(T (&input)[Items], Op op) {
    return Reduce(ThreadReduce(input, op), op);
  }
  template <class Op>
  T Reduce(T input, Op op, int valid = threads) {
    if constexpr (is_one_warp) {
      NullType none;
      return WarpReduce<T, threads>(none).Reduce(input, op, valid);
    } else {
      if (valid > threads) valid = threads;
      slots_.values[rank_] = input;
      CTA_SYNC();
      return rank_ == 0 ? combine(op, valid) : input;
    }
  }

 private:
  // In the order of CUB's warp reductions, so that float sums come out as on a GPU: a tree over
  // the lanes of each warp, then one warp after the other.
  template <class Op>
  T combine(Op& op, int valid) {
    T result = combine_warp(op, 0, valid);
    for (int first = 32; first < valid; first += 32) {
      result = simt::call_op(op, result, combine_warp(op, first, valid - first));
    }
    return result;
  }
  template <class Op>
  T combine_warp(Op& op, int first, int valid) {
    const int count = valid < 32 ? valid : 32;
    T lanes[32];
    for (int i = 0; i < count; ++i) lanes[i] = slots_.values[first + i];
    for (int offset = 1; offset < count; offset *= 2) {
      for (int i = 0; i + offset < count; i += 2 * offset) {
        lanes[i] = simt::call_op(op, lanes[i], lanes[i + offset]);
      }
    }
    return lanes[0];
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Slots& slots_;
  int rank_;
};

}  // namespace cub
