#pragma once

// Tiles of several warps: 64 to 1024 threads. Part of cooperative_groups.h.
//
// Threads hand each other values through the runtime, so the memory that a GPU needs for it
// (block_tile_memory) is there only to be declared.

#include <simt/group_block.h>
#include <simt/group_warp.h>
#include <simt/sync.h>

#include <type_traits>

namespace cooperative_groups {

template <unsigned MaxBlockSize = 1024>
struct alignas(8) block_tile_memory {
  char scratch[MaxBlockSize / 32 * 16];
};

template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return this_thread_block();
}

template <unsigned Size, class Parent>
class multi_warp_tile {
 public:
  multi_warp_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return simt::thread_rank() % Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  static void sync(SIMT_HERE) { simt::tile_barrier(Size, {file, line}); }

  // No other shuffle, as on a GPU.
  template <class T>
  static T shfl(T value, int rank, SIMT_HERE) {
    static_assert(std::is_trivially_copyable_v<T>, "only plain values can be shuffled");
    T result{};
    simt::tile_publish(&value, Size, {file, line});
    simt::tile_read(first() + static_cast<unsigned>(rank) % Size, &result, sizeof(T));
    simt::tile_barrier(Size, {file, line});
    return result;
  }
  static int any(int predicate, SIMT_HERE) {
    return combine_warps(__any_sync(0xffffffffu, predicate, file, line), Or(), {file, line});
  }
  static int all(int predicate, SIMT_HERE) {
    return combine_warps(__all_sync(0xffffffffu, predicate, file, line), And(), {file, line});
  }

  // Combines one value a warp in the order of shuffles with halving distance.
  template <class T, class Op>
  static T combine_warps(T value, Op&& op, simt::Site site) {
    T values[warps] = {};
    bool there[warps];
    simt::tile_publish(&value, Size, site);
    for (unsigned w = 0; w < warps; ++w) {
      there[w] = simt::tile_read(first() + w * 32, &values[w], sizeof(T));
    }
    simt::tile_barrier(Size, site);
    for (unsigned half = warps / 2; half > 0; half /= 2) {
      for (unsigned w = 0; w < half; ++w) {
        if (there[w + half]) values[w] = op(values[w], values[w + half]);
      }
    }
    return values[0];
  }

  // What the last threads of the warps before brought, combined; false in the first warp.
  template <class T, class Op>
  static bool before_warp(const T& value, T& before, Op&& op, simt::Site site) {
    const unsigned mine = thread_rank() / 32;
    simt::tile_publish(&value, Size, site);
    for (unsigned w = 0; w < mine; ++w) {
      T last;
      simt::tile_read(first() + w * 32 + 31, &last, sizeof(T));
      before = w == 0 ? last : op(before, last);
    }
    simt::tile_barrier(Size, site);
    return mine != 0;
  }

  // The value of the thread before; `none` for the first.
  template <class T>
  static T from_before(const T& value, T none, simt::Site site) {
    simt::tile_publish(&value, Size, site);
    if (thread_rank() != 0) simt::tile_read(simt::thread_rank() - 1, &none, sizeof(T));
    simt::tile_barrier(Size, site);
    return none;
  }

 private:
  static constexpr unsigned warps = Size / 32;
  static unsigned first() { return simt::thread_rank() / Size * Size; }
  struct Or {
    int operator()(int a, int b) const { return a | b; }
  };
  struct And {
    int operator()(int a, int b) const { return a & b; }
  };

  unsigned meta_rank_, meta_size_;
};

#define SIMT_TILE(SIZE)                                                          \
  template <class Parent>                                                        \
  class thread_block_tile<SIZE, Parent> : public multi_warp_tile<SIZE, Parent> { \
   public:                                                                       \
    using multi_warp_tile<SIZE, Parent>::multi_warp_tile;                        \
    operator thread_block_tile<SIZE, void>() const {                             \
      return {this->meta_group_rank(), this->meta_group_size()};                 \
    }                                                                            \
  };
SIMT_TILE(64)
SIMT_TILE(128)
SIMT_TILE(256)
SIMT_TILE(512)
SIMT_TILE(1024)
#undef SIMT_TILE

// CUDA 11's names for the same.
namespace experimental {
template <unsigned Bytes = 8, unsigned MaxBlockSize = 1024>
using block_tile_memory = cooperative_groups::block_tile_memory<MaxBlockSize>;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}  // namespace experimental

}  // namespace cooperative_groups
