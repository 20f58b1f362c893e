// A tile of a row in registers, four 16-byte vectors per thread, scanned by shuffles alone: what 07 to 09 share.
//
// A warp's vector k is 32 x 16 bytes in a row, so that its loads are contiguous. Each thread reduces its vector, the
// lanes scan these sums, and the vectors of a warp follow each other: 28 shuffles for 512 floats, and no shared memory.
//
// Rows may begin anywhere: vectors are counted from the 16-byte boundary at or before the row's first element, and
// elements outside the row count as the identity.
#pragma once
#include "core/host/device.cuh"
#include "core/thread/vector.cuh"
#include "ops/order/look_back.cuh"
#include "ops/order/scan/call.cuh"

namespace warpath::scan {

inline constexpr int threads = 256, warps = threads / 32;
inline constexpr int vectors = 4;                       // per thread: its loads in flight
inline constexpr int tile_vectors = threads * vectors;  // 16 KiB

// One row, cut into vectors, numbered in the direction of the scan.
template <class T>
struct Row {
  static constexpr int E = lanes_of_16<T>;
  const T* x;
  T* y;
  const unsigned char* heads;      // may be null
  std::int64_t cols, count;        // elements; vectors
  int skipped;                     // elements of the first vector that are before the row
  bool whole, exclusive, reverse;  // whole: vectors may be loaded and stored as such

  // The first element of vector v; some of them are outside of the row where it is negative or near the end.
  __device__ __forceinline__ std::int64_t first(std::int64_t v) const {
    return (reverse ? count - 1 - v : v) * E - skipped;
  }
  __device__ __forceinline__ bool has(std::int64_t i) const { return i >= 0 && i < cols; }
  // Whether a warp's `vectors` vectors from v on are whole and all inside the row.
  __device__ __forceinline__ bool inside(std::int64_t v) const {
    const std::int64_t a = first(v), b = first(v + 32 * vectors - 1);
    return whole && min(a, b) >= 0 && max(a, b) + E <= cols;
  }
};

template <class T>
struct Call {
  const T* x;
  T* y;
  const unsigned char* heads;
  std::int64_t rows, cols;
  bool whole, exclusive, reverse;

  explicit Call(const Args& args)
      : x(args.x.as<T>()),
        y(args.y.as<T>()),
        heads(args.heads.as<unsigned char>()),
        rows(args.x.shape[0]),
        cols(args.x.shape[1]),
        whole((reinterpret_cast<std::uintptr_t>(args.x.data) -
               reinterpret_cast<std::uintptr_t>(args.y.data)) %
                  16 ==
              0),
        exclusive(args.exclusive),
        reverse(args.reverse) {}

  // Of any row, at most; a tile has so many vectors.
  std::int64_t tiles(int vectors_per_tile = tile_vectors) const {
    constexpr int E = lanes_of_16<T>;
    const bool all_aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && cols % E == 0;
    return ceil_div(ceil_div(cols + (whole && !all_aligned ? E - 1 : 0), E), vectors_per_tile);
  }
  __device__ __forceinline__ Row<T> row(std::int64_t r) const {
    const T* const from = x + r * cols;
    const int skipped = whole ? int(reinterpret_cast<std::uintptr_t>(from) % 16 / sizeof(T)) : 0;
    return {from,
            y + r * cols,
            heads ? heads + r * cols : nullptr,
            cols,
            (cols + skipped + Row<T>::E - 1) / Row<T>::E,
            skipped,
            whole,
            exclusive,
            reverse};
  }
};

// What is combined: values alone, or values with the mark that a segment begins there.
template <class Op, class T>
struct Plain {
  using Item = Value<T>;
  static constexpr bool segments = false;
  static __device__ __forceinline__ Item identity() { return Op::template identity<Item>(); }
  static __device__ __forceinline__ Item item(Value<T> x, bool) { return x; }
  static __device__ __forceinline__ Value<T> value(Item x) { return x; }
  __device__ __forceinline__ Item operator()(Item a, Item b) const { return Op{}(a, b); }
};

// A warp's part of a tile: `vectors` vectors per lane.
template <class T, class C>
struct WarpPart {
  using Item = typename C::Item;
  static constexpr int E = lanes_of_16<T>;
  Vector<T, E> in[vectors];
  unsigned heads[vectors];
  Item before[vectors];  // of all vectors before this one in the warp's part
  Item all;              // of the whole part

  __device__ __forceinline__ static std::int64_t place(std::int64_t first_vector, int k) {
    return first_vector + k * 32 + threadIdx.x % 32;
  }

  // The elements in the direction of the scan; those outside of the row are identities.
  __device__ __forceinline__ void load(const Row<T>& row, std::int64_t first_vector) {
    if (row.inside(first_vector)) {  // without a branch per load: all of them are in flight at once
      const T* const from = row.x + row.first(place(first_vector, 0));
      const int step = row.reverse ? -32 * E : 32 * E;
#pragma unroll
      for (int k = 0; k < vectors; ++k) in[k] = load_once<E>(from + k * step);
    } else {
      const T outside = narrow<T>(C::value(C::identity()));
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const std::int64_t at = row.first(place(first_vector, k));
#pragma unroll
        for (int e = 0; e < E; ++e) in[k].at[e] = row.has(at + e) ? row.x[at + e] : outside;
      }
    }
    if constexpr (C::segments)
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        // In reverse a segment is entered at its last element, the one before the next head.
        const std::int64_t at = row.first(place(first_vector, k)) + (row.reverse ? 1 : 0);
        heads[k] = 0;
#pragma unroll
        for (int e = 0; e < E; ++e)
          if (row.has(at + e) && row.heads[at + e]) heads[k] |= 1u << e;
      }
    if (row.reverse)
#pragma unroll
      for (int k = 0; k < vectors; ++k) turn(k);
  }

  __device__ __forceinline__ void turn(int k) {
#pragma unroll
    for (int e = 0; e < E / 2; ++e) {
      const T other = in[k].at[e];
      in[k].at[e] = in[k].at[E - 1 - e];
      in[k].at[E - 1 - e] = other;
    }
    if constexpr (C::segments) heads[k] = __brev(heads[k]) >> (32 - E);
  }

  __device__ __forceinline__ Item item(int k, int e) const {
    if constexpr (C::segments)
      return C::item(widen(in[k].at[e]), heads[k] >> e & 1);
    else
      return C::item(widen(in[k].at[e]), false);
  }

  __device__ __forceinline__ void scan_sums(C op) {
    Item sum[vectors];
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      sum[k] = item(k, 0);
#pragma unroll
      for (int e = 1; e < E; ++e) sum[k] = op(sum[k], item(k, e));
      sum[k] = warp_scan(sum[k], op);
    }
    all = C::identity();
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      before[k] = op(all, shifted_by_one(sum[k], C::identity()));
      all = op(all, shuffle(sum[k], 31));
    }
  }

  // `start`: of everything before the part.
  __device__ __forceinline__ void store(const Row<T>& row, std::int64_t first_vector, Item start,
                                        C op) {
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      Item running = op(start, before[k]);
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const Item mine = item(k, e), next = op(running, mine);
        const bool head = C::segments && (heads[k] >> e & 1);
        const Item earlier = head ? C::identity() : running;
        in[k].at[e] = narrow<T>(C::value(row.exclusive ? earlier : next));
        running = next;
      }
      if (row.reverse) turn(k);
    }
    if (row.inside(first_vector)) {
      T* const to = row.y + row.first(place(first_vector, 0));
      const int step = row.reverse ? -32 * E : 32 * E;
#pragma unroll
      for (int k = 0; k < vectors; ++k) store_once<E>(to + k * step, in[k]);
    } else {
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const std::int64_t at = row.first(place(first_vector, k));
#pragma unroll
        for (int e = 0; e < E; ++e)
          if (row.has(at + e)) row.y[at + e] = in[k].at[e];
      }
    }
  }
};

// A row per warp, 2 KiB at a time: for rows too short for a block.
template <class C, class T>
__device__ __forceinline__ void warp_a_row(const Call<T>& call) {
  const std::int64_t r = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (r >= call.rows) return;
  const C op;
  const Row<T> row = call.row(r);
  typename C::Item carry = C::identity();
  for (std::int64_t v = 0; v < row.count; v += 32 * vectors) {
    WarpPart<T, C> part;
    part.load(row, v);
    part.scan_sums(op);
    part.store(row, v, carry, op);
    carry = op(carry, part.all);
  }
}

// A tile per block. `LookBack`: rows have several tiles.
template <bool LookBack, class C, class T>
__device__ __forceinline__ void tile_a_block(const Call<T>& call, const order::Board& board) {
  using Item = typename C::Item;
  __shared__ Item slots[warps];
  __shared__ Item before_tile;
  __shared__ order::Board::Tile taken;
  const C op;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  order::Board::Tile tile{blockIdx.x, 0};
  if constexpr (LookBack) {
    if (threadIdx.x == 0) taken = board.take();
    __syncthreads();
    tile = taken;
  }
  const Row<T> row = call.row(tile.row);
  const std::int64_t first = tile.part * tile_vectors + warp * 32 * vectors;
  WarpPart<T, C> part;
  part.load(row, first);
  part.scan_sums(op);
  if (lane == 0) slots[warp] = part.all;
  __syncthreads();
  const Item sums = warp_scan(lane < warps ? slots[lane] : C::identity(), op);
  Item start = shuffle(sums, warp > 0 ? warp - 1 : 0);
  if (warp == 0) start = C::identity();
  if constexpr (LookBack) {
    unsigned left = 0;
    if (warp == 0) {
      const Item before = board.look_back(tile, shuffle(sums, 31), C::identity(), op);
      if (lane == 0) {
        before_tile = before;
        left = board.leave(tile);
      }
    }
    __syncthreads();
    part.store(row, first, op(before_tile, start), op);
    if (warp == 0) board.clean(tile, left);
  } else {
    part.store(row, first, start, op);
  }
}

// Rows so short that a warp takes each one.
inline bool rows_are_short(const Args& args) {
  return args.x.shape[1] * std::int64_t(size_of(args.x.dtype)) <= 8192 &&
         (args.x.shape[0] > 1 || args.x.shape[1] <= 128);
}

template <class T>
std::int64_t board_bytes_of(const Args& args) {
  const std::int64_t tiles = Call<T>(args).tiles();
  return tiles > 1 && !rows_are_short(args)
             ? order::Board::bytes(args.x.shape[0], tiles, order::Packed<Value<T>>::words)
             : 0;
}

}  // namespace warpath::scan
