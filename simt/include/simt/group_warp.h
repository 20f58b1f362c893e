#pragma once

// Cooperative groups inside a warp: thread_block_tile, coalesced_group, and ways to divide a group.
// Part of cooperative_groups.h.

#include <simt/group_block.h>
#include <simt/warp.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace simt {

inline constexpr std::size_t shuffle_bytes = sizeof(WarpArgs::value);

// A shuffle of any plain value; big ones go piece by piece.
template <class T>
T shuffle_value(WarpOp op, unsigned mask, const T& value, int argument, int width, Site site) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values can be shuffled");
  if constexpr (sizeof(T) <= shuffle_bytes) {
    return warp_shuffle<T>(op, mask, value, argument, width, site);
  } else {
    struct Piece {
      unsigned char bytes[shuffle_bytes];
    };
    T result = value;
    for (std::size_t at = 0; at < sizeof(T); at += shuffle_bytes) {
      const std::size_t size = sizeof(T) - at < shuffle_bytes ? sizeof(T) - at : shuffle_bytes;
      Piece piece = {};
      std::memcpy(piece.bytes, reinterpret_cast<const char*>(&value) + at, size);
      piece = warp_shuffle(op, mask, piece, argument, width, site);
      std::memcpy(reinterpret_cast<char*>(&result) + at, piece.bytes, size);
    }
    return result;
  }
}

// Lane of the n-th thread of a mask; 32 when there are not so many.
inline unsigned nth_lane(unsigned mask, unsigned n) {
  for (; mask != 0; mask &= mask - 1) {
    if (n-- == 0) return static_cast<unsigned>(__builtin_ctz(mask));
  }
  return 32;
}

// The bits of `lanes` at the places of `mask`, moved together.
inline unsigned gather_bits(unsigned lanes, unsigned mask) {
  unsigned out = 0;
  for (unsigned n = 0; mask != 0; mask &= mask - 1, ++n) {
    out |= (lanes >> __builtin_ctz(mask) & 1u) << n;
  }
  return out;
}

// Those of `lanes` whose rank among them is in the same run of `size` as the running thread's.
inline unsigned run_of(unsigned lanes, unsigned size) {
  const auto rank = static_cast<unsigned>(__builtin_popcount(lanes & (lane_mask() - 1)));
  const unsigned first = rank / size * size;
  unsigned run = 0;
  for (unsigned n = first; n < first + size; ++n) {
    const unsigned lane = nth_lane(lanes, n);
    if (lane < 32) run |= 1u << lane;
  }
  return run;
}

struct GroupMaker;

}  // namespace simt

namespace cooperative_groups {

// Threads of one warp that came together at run time. Ranks count the lanes that belong to it.
class coalesced_group : public thread_group {
 public:
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(lanes_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(lanes_ & (simt::lane_mask() - 1)));
  }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  void sync(SIMT_HERE) const { simt::warp_word(simt::WarpOp::sync, lanes_, 0, {file, line}); }

  template <class T>
  T shfl(T value, int rank, SIMT_HERE) const {
    return from_rank(value, static_cast<unsigned>(rank), {file, line});
  }
  template <class T>
  T shfl_up(T value, unsigned delta, SIMT_HERE) const {
    const unsigned rank = thread_rank();
    return from_rank(value, delta <= rank ? rank - delta : rank, {file, line});
  }
  template <class T>
  T shfl_down(T value, unsigned delta, SIMT_HERE) const {
    const unsigned rank = thread_rank();
    return from_rank(value, delta < num_threads() - rank ? rank + delta : rank, {file, line});
  }

  int any(int predicate, SIMT_HERE) const { return __any_sync(lanes_, predicate, file, line); }
  int all(int predicate, SIMT_HERE) const { return __all_sync(lanes_, predicate, file, line); }
  unsigned ballot(int predicate, SIMT_HERE) const {
    return simt::gather_bits(__ballot_sync(lanes_, predicate, file, line), lanes_);
  }
  template <class T>
  unsigned match_any(T value, SIMT_HERE) const {
    return simt::gather_bits(__match_any_sync(lanes_, value, file, line), lanes_);
  }
  template <class T>
  unsigned match_all(T value, int& predicate, SIMT_HERE) const {
    return simt::gather_bits(__match_all_sync(lanes_, value, &predicate, file, line), lanes_);
  }

 private:
  explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

  template <class T>
  T from_rank(const T& value, unsigned rank, simt::Site site) const {
    const unsigned lane = simt::nth_lane(lanes_, rank);
    return simt::shuffle_value(simt::WarpOp::shfl, lanes_, value,
                               static_cast<int>(lane < 32 ? lane : simt::lane_id()), 32, site);
  }

  unsigned meta_rank_, meta_size_;

  template <unsigned, class>
  friend class thread_block_tile;
  friend coalesced_group coalesced_threads(const char* file, unsigned line);
  friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);
  friend struct simt::GroupMaker;
};

// The lanes that are here together.
inline coalesced_group coalesced_threads(SIMT_HERE) {
  return coalesced_group(simt::active_mask({file, line}));
}

// Size neighbouring threads of a warp. Those of several warps are in group_tile.h.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
  static_assert(Size <= 32, "a tile has at most 1024 threads");

 public:
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return simt::thread_rank() % Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  void sync(SIMT_HERE) const { simt::warp_word(simt::WarpOp::sync, lanes(), 0, {file, line}); }

  template <class T>
  T shfl(T value, int rank, SIMT_HERE) const {
    return shuffle(simt::WarpOp::shfl, value, rank, {file, line});
  }
  template <class T>
  T shfl_up(T value, unsigned delta, SIMT_HERE) const {
    return shuffle(simt::WarpOp::shfl_up, value, static_cast<int>(delta), {file, line});
  }
  template <class T>
  T shfl_down(T value, unsigned delta, SIMT_HERE) const {
    return shuffle(simt::WarpOp::shfl_down, value, static_cast<int>(delta), {file, line});
  }
  template <class T>
  T shfl_xor(T value, unsigned mask, SIMT_HERE) const {
    return shuffle(simt::WarpOp::shfl_xor, value, static_cast<int>(mask), {file, line});
  }

  int any(int predicate, SIMT_HERE) const { return __any_sync(lanes(), predicate, file, line); }
  int all(int predicate, SIMT_HERE) const { return __all_sync(lanes(), predicate, file, line); }
  unsigned ballot(int predicate, SIMT_HERE) const {
    return __ballot_sync(lanes(), predicate, file, line) >> first_lane();
  }
  template <class T>
  unsigned match_any(T value, SIMT_HERE) const {
    return __match_any_sync(lanes(), value, file, line) >> first_lane();
  }
  template <class T>
  unsigned match_all(T value, int& predicate, SIMT_HERE) const {
    return __match_all_sync(lanes(), value, &predicate, file, line) >> first_lane();
  }

  operator thread_group() const { return thread_group(lanes()); }
  operator coalesced_group() const { return coalesced_group(lanes(), meta_rank_, meta_size_); }
  // The same tile, its parent forgotten.
  operator thread_block_tile<Size, void>() const { return {meta_rank_, meta_size_}; }

 private:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static unsigned first_lane() { return simt::lane_id() / Size * Size; }
  static unsigned lanes() { return static_cast<unsigned>((1ull << Size) - 1) << first_lane(); }
  template <class T>
  static T shuffle(simt::WarpOp op, const T& value, int argument, simt::Site site) {
    return simt::shuffle_value(op, lanes(), value, argument, Size, site);
  }

  unsigned meta_rank_, meta_size_;

  template <unsigned, class>
  friend class thread_block_tile;
  template <unsigned S, class P>
  friend thread_block_tile<S, P> tiled_partition(const P& parent);
  friend thread_block_tile<1, void> this_thread();
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  const auto threads = static_cast<unsigned>(parent.num_threads());
  return {static_cast<unsigned>(parent.thread_rank()) / Size, (threads + Size - 1) / Size};
}

inline thread_block_tile<1, void> this_thread() {
  return {0, 1};
}

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  return coalesced_group(simt::run_of(parent.lanes_, size), parent.thread_rank() / size,
                         (parent.num_threads() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  return thread_group(simt::run_of(parent.lanes_ != 0 ? parent.lanes_ : 0xffffffffu, size));
}
inline thread_group tiled_partition(const thread_block& parent, unsigned size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}

}  // namespace cooperative_groups

namespace simt {

struct GroupMaker {
  template <class Label>
  static cooperative_groups::coalesced_group by_label(
      const cooperative_groups::coalesced_group& all, Label label, Site site) {
    const unsigned lanes = __match_any_sync(all.lanes_, label, site.file, site.line);
    const unsigned leader = lanes & -lanes;
    const unsigned leaders = __ballot_sync(all.lanes_, leader == lane_mask(), site.file, site.line);
    return cooperative_groups::coalesced_group(
        lanes, static_cast<unsigned>(__builtin_popcount(leaders & (leader - 1))),
        static_cast<unsigned>(__builtin_popcount(leaders)));
  }
};

}  // namespace simt

namespace cooperative_groups {

// The threads of a warp's group that brought the same label.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label, SIMT_HERE) {
  return simt::GroupMaker::by_label(group, label, {file, line});
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate, SIMT_HERE) {
  return simt::GroupMaker::by_label(group, static_cast<int>(predicate), {file, line});
}

}  // namespace cooperative_groups
