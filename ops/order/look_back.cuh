// Decoupled look-back: each tile of a row learns the combined value of all tiles before it, in one launch.
//
// A tile publishes the value of its own elements at once, then looks back at those of its predecessors. 32 tiles form a
// group. A tile combines what the tiles before it in its group have published; the last tile of a group also publishes
// the group's value and, as soon as it knows what came before, the value of all elements up to the group's end. So two
// requests of 32 words answer most calls: the own group's tiles, and the 32 groups before.
//
// Each word is flag and value at once, 64 bits that are written together, so no fence is needed. Every value is combined
// in an order that does not depend on which words happened to be there first: a float sum has the same bits in every run.
//
// Tiles are numbered by a counter in the order in which blocks start, so all predecessors of a tile have started: waiting
// for them cannot deadlock, whatever the order in which the hardware starts blocks. The last reader of a word sets it
// back to zero, for the next launch.
#pragma once
#include <cstdint>

#include "core/block/last_block.cuh"
#include "core/block/scan.cuh"
#include "core/host/launch.h"
#include "core/ptx/order.cuh"

namespace warpath::order {

// How a value is kept in the low 62 bits of a word, or of two: then both words carry the flag, and a reader takes them
// only where the flags agree.
template <class Item>
struct Packed;
template <>
struct Packed<float> {
  static constexpr int words = 1;
  static __device__ __forceinline__ std::uint64_t pack(float x, int) { return __float_as_uint(x); }
  static __device__ __forceinline__ float unpack(const std::uint64_t* w) {
    return __uint_as_float(unsigned(w[0]));
  }
};
template <>
struct Packed<int> {
  static constexpr int words = 1;
  static __device__ __forceinline__ std::uint64_t pack(int x, int) { return unsigned(x); }
  static __device__ __forceinline__ int unpack(const std::uint64_t* w) {
    return int(unsigned(w[0]));
  }
};
template <>
struct Packed<long long> {
  static constexpr int words = 2;
  static __device__ __forceinline__ std::uint64_t pack(long long x, int i) {
    return unsigned(x >> (32 * i));
  }
  static __device__ __forceinline__ long long unpack(const std::uint64_t* w) {
    return (long long)(std::uint64_t(unsigned(w[1])) << 32 | unsigned(w[0]));
  }
};
// A count, below 2^62.
template <>
struct Packed<unsigned long long> {
  static constexpr int words = 1;
  static __device__ __forceinline__ std::uint64_t pack(unsigned long long x, int) { return x; }
  static __device__ __forceinline__ unsigned long long unpack(const std::uint64_t* w) {
    return w[0] & ((std::uint64_t(1) << 62) - 1);
  }
};

struct Board {
  // `tiles` per row, `words` per value: those of Packed. All of `scratch` is zero before a launch, and after it.
  Board(std::int64_t rows, std::int64_t tiles, void* scratch, int words = 1)
      : tiles_(tiles), groups_(ceil_div(tiles, 32)), rows_(rows), words_(words) {
    group_words_ = static_cast<std::uint64_t*>(scratch) + 1;
    tile_words_ = group_words_ + rows * groups_ * words;
    counters_ = reinterpret_cast<unsigned*>(tile_words_ + rows * tiles_ * words);
    next_ = static_cast<unsigned*>(scratch);
  }
  static std::int64_t bytes(std::int64_t rows, std::int64_t tiles, int words = 1) {
    return 8 + rows * (ceil_div(tiles, 32) * (8 * words + 4) + tiles * 8 * words);
  }

  struct Tile {
    std::int64_t row, part;
  };

  // By one thread, once per block.
  __device__ __forceinline__ Tile take() const {
    const unsigned ticket = atomicAdd(&next_[0], 1u);
    return {std::int64_t(ticket) / tiles_, std::int64_t(ticket) % tiles_};
  }

  // The same in two steps, for blocks that take tiles until none is left: the row is -1 then. The ticket may be on its way
  // while the block does something else.
  __device__ __forceinline__ unsigned ticket() const { return atomicAdd(&next_[0], 1u); }
  __device__ __forceinline__ Tile tile(unsigned ticket) const {
    if (std::int64_t(ticket) >= rows_ * tiles_) return {-1, 0};
    if (rows_ == 1) return {0, std::int64_t(ticket)};
    return {std::int64_t(ticket) / tiles_, std::int64_t(ticket) % tiles_};
  }

  // By one whole warp: `mine` is the tile's own value, the result that of all tiles before it in the row.
  template <class Item, class Op>
  __device__ __forceinline__ Item look_back(Tile tile, Item mine, Item identity, Op op) const {
    if (threadIdx.x % 32 == 0) publish(tile, mine);
    return before(tile, mine, identity, op);
  }

  // The two halves of look_back(), for a block that has other work between them. By one thread:
  template <class Item>
  __device__ __forceinline__ void publish(Tile tile, Item mine) const {
    put(tile_words_, tile.row * tiles_ + tile.part, own, mine);
  }
  // By one whole warp, after publish(). A value that was there is not read again.
  template <class Item, class Op>
  __device__ __forceinline__ Item before(Tile tile, Item mine, Item identity, Op op) const {
    const int lane = threadIdx.x % 32, at = int(tile.part % 32);
    const std::int64_t group = tile.part / 32, first_group = tile.row * groups_;
    const std::int64_t my_tile = tile.row * tiles_ + group * 32 + lane;
    const std::int64_t my_group = first_group + group - 1 - lane;
    const bool closes = at == 31 && tile.part + 1 < tiles_;

    // Lane l looks at the l-th group back; asked for here, it arrives together with the tiles' words.
    const bool has_group = lane < group;
    Found<Item> g, w;
    if (has_group) g.look(group_words_, my_group);
    if (lane < at) w.look(tile_words_, my_tile);
    while (__any_sync(full_mask, lane < at && w.state() == nothing))
      if (lane < at && w.state() == nothing) w.look(tile_words_, my_tile);
    Item item = lane < at ? w.value() : lane == at ? mine : identity;
    item = warp_scan(item, op);
    const Item inside = shuffle(item, at > 0 ? at - 1 : 0), through = shuffle(item, at);
    if (group == 0) {
      if (closes && lane == 0) put(group_words_, first_group, all, through);
      return at > 0 ? inside : identity;
    }
    if (closes && lane == 0) put(group_words_, first_group + group, own, through);

    // The nearest group that knows everything up to its end is enough, if those between it and this group have
    // published their own values.
    unsigned knows;
    while (true) {
      knows = __ballot_sync(full_mask, g.state() == all);
      const unsigned between = (knows & (0u - knows)) - 1;
      const unsigned there = __ballot_sync(full_mask, g.state() != nothing);
      if (knows != 0 && (there & between) == between) break;
      if (has_group && (between >> lane & 1) && (knows == 0 || g.state() == nothing))
        g.look(group_words_, my_group);
    }
    item = g.value();
    const int nearest = __ffs(int(knows)) - 1;
    Item before = shuffle(item, nearest);
    for (int l = nearest - 1; l >= 0; --l) before = op(before, shuffle(item, l));
    if (closes && lane == 0) put(group_words_, first_group + group, all, op(before, through));
    return at > 0 ? op(before, inside) : before;
  }

  // By all threads of a block that has used ticket(), after a barrier: the last block of the grid sets everything back
  // to zero. `is_last` is a shared variable of the block.
  __device__ __forceinline__ void close(bool& is_last) const {
    if (!is_last_block(&next_[1], gridDim.x, is_last)) return;
    const std::int64_t words =
        rows_ * (groups_ + tiles_) * words_;  // the tiles' follow the groups'
    for (std::int64_t i = threadIdx.x; i < words; i += blockDim.x)
      ptx::store_relaxed(&group_words_[i], std::uint64_t(0));
    if (threadIdx.x < 2) atomicExch(&next_[threadIdx.x], 0u);
  }

  // After look_back(), by one thread. What it returns goes to clean().
  __device__ __forceinline__ unsigned leave(Tile tile) const {
    return atomicAdd(&counters_[tile.row * groups_ + tile.part / 32], 1u);
  }

  // By the same warp, at its end. Nobody reads the words of a group's tiles after the last of them has left, nor any
  // word after the last group has.
  __device__ __forceinline__ void clean(Tile tile, unsigned left) const {
    const int lane = threadIdx.x % 32;
    const std::int64_t group = tile.part / 32;
    const int size = int(min(std::int64_t(32), tiles_ - group * 32));
    if (int(__shfl_sync(full_mask, left, 0)) != size - 1) return;
    for (int i = lane; i < size * words_; i += 32)
      ptx::store_relaxed(&tile_words_[(tile.row * tiles_ + group * 32) * words_ + i],
                         std::uint64_t(0));
    unsigned done = 0;
    if (lane == 0) {
      atomicExch(&counters_[tile.row * groups_ + group], 0u);
      done = atomicAdd(&next_[1], 1u);
    }
    if (__shfl_sync(full_mask, done, 0) != unsigned(rows_ * groups_) - 1) return;
    if (groups_ > 1)
      for (std::int64_t g = lane; g < rows_ * groups_ * words_; g += 32)
        ptx::store_relaxed(&group_words_[g], std::uint64_t(0));
    if (lane < 2) atomicExch(&next_[lane], 0u);
  }

 private:
  static constexpr unsigned nothing = 0, own = 1, all = 2;  // what a word holds the value of
  template <class Item>
  static __device__ __forceinline__ void put(std::uint64_t* words, std::int64_t at, unsigned state,
                                             Item x) {
    using P = Packed<Item>;
#pragma unroll
    for (int i = 0; i < P::words; ++i)
      ptx::store_relaxed(&words[at * P::words + i], std::uint64_t(state) << 62 | P::pack(x, i));
  }

  // What was read of a published value.
  template <class Item>
  struct Found {
    static constexpr int words = Packed<Item>::words;
    std::uint64_t w[words] = {};

    __device__ __forceinline__ void look(const std::uint64_t* from, std::int64_t at) {
#pragma unroll
      for (int i = 0; i < words; ++i) w[i] = ptx::load_relaxed(&from[at * words + i]);
    }
    // `nothing` too where one word is newer than the other.
    __device__ __forceinline__ unsigned state() const {
      return w[0] >> 62 == w[words - 1] >> 62 ? unsigned(w[0] >> 62) : nothing;
    }
    __device__ __forceinline__ Item value() const {
      return Packed<Item>::unpack(w);
    }
  };

  std::int64_t tiles_, groups_, rows_;  // tiles and groups per row
  int words_;                           // of a value
  unsigned* next_;                      // the next tile; the number of groups that are done
  std::uint64_t *group_words_, *tile_words_;
  unsigned* counters_;  // of each group: tiles that have left
};

}  // namespace warpath::order
