// Sixteen bytes per load, four loads in flight; kept elements meet in shared memory and leave it side by side.
//
// What changed: a thread loads four vectors and keeps them in registers, so x is read once and nothing is tested twice.
// The counts of two vectors share a word, so two scans by shuffles rank four vectors. Kept elements are put into shared
// memory at their rank; from there the block stores them to neighbouring addresses, words of four bytes. With partition,
// the others fill the same array from its end.
// Limit: the memory.
#include "core/thread/vector.cuh"
#include "ops/order/look_back.cuh"
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int threads = 256, warps = threads / 32, vectors = 4;
template <class T>
inline constexpr int tile_of = threads* vectors* lanes_of_16<T>;  // 16 KiB

// Vectors are counted from the 16-byte boundary at or before x: so many places before it are empty.
template <class T>
__host__ __device__ __forceinline__ int skipped(const T* x) {
  return int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
}

// One vector of x, and which of its elements exist and are kept, as bits.
template <class T>
struct Tested {
  static constexpr int E = lanes_of_16<T>;
  Vector<T, E> in;
  unsigned exists, kept;

  // Elements [at, at + E); all of them exist where `inside`, which is the same for the whole warp.
  __device__ __forceinline__ void load(const Call<T>& call, std::int64_t at, bool inside) {
    if (inside) {
      in = load_once<E>(call.x + at);
      exists = (1u << E) - 1;
      return;
    }
    exists = 0;
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const bool here = at + e >= 0 && at + e < call.n;
      in.at[e] = here ? call.x[at + e] : T(0);
      exists |= unsigned(here) << e;
    }
  }

  __device__ __forceinline__ void test(const Call<T>& call, std::int64_t at) {
    kept = 0;
    if (call.test == Test::flags) {
      if (exists == (1u << E) - 1 && reinterpret_cast<std::uintptr_t>(call.flags + at) % E == 0) {
        const Vector<unsigned char, E> flags = load_once<E>(call.flags + at);
#pragma unroll
        for (int e = 0; e < E; ++e) kept |= unsigned(flags.at[e] != 0) << e;
      } else {
#pragma unroll
        for (int e = 0; e < E; ++e)
          if (exists >> e & 1) kept |= unsigned(call.flags[at + e] != 0) << e;
      }
    } else if (call.test == Test::unique) {
      // The element before the vector is the last one of the lane below.
      Value<T> before = shuffle_up(value_of(in.at[E - 1]), 1);
      if (threadIdx.x % 32 == 0 && at > 0 && at < call.n) before = value_of(call.x[at - 1]);
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const Value<T> mine = value_of(in.at[e]);
        kept |= unsigned(mine != before || at + e == 0) << e;
        before = mine;
      }
    } else {
      const bool above = call.test == Test::above;
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const Value<T> mine = value_of(in.at[e]);
        kept |= unsigned(above ? mine > call.threshold : mine != Value<T>(0)) << e;
      }
    }
    kept &= exists;
  }
};

// From shared memory to `n` neighbouring places, by words of four bytes.
template <class T>
__device__ __forceinline__ void store_run(T* to, const T* from, int n) {
  if constexpr (sizeof(T) == 4) {
    for (int i = threadIdx.x; i < n; i += threads) to[i] = from[i];
  } else {
    const int odd = n > 0 && reinterpret_cast<std::uintptr_t>(to) % 4 != 0;
    if (odd && threadIdx.x == 0) to[0] = from[0];
    for (int i = odd + 2 * threadIdx.x; i + 1 < n; i += 2 * threads)
      store<2>(to + i, Vector<T, 2>{from[i], from[i + 1]});
    if ((n - odd) % 2 == 1 && threadIdx.x == 1) to[n - 1] = from[n - 1];
  }
}

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 4 : 3)
    staged(Call<T> call, Board board) {
  constexpr int E = lanes_of_16<T>, tile = tile_of<T>;
  __shared__ alignas(16) T places[tile];
  __shared__ int slots[warps];
  __shared__ long long kept_before;
  __shared__ Board::Tile taken;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t begin = mine.part * tile - skipped(call.x);    // of the tile
  const std::int64_t warp_begin = begin + warp * 32 * vectors * E;  // of the warp's part
  const bool inside = warp_begin >= 0 && warp_begin + 32 * vectors * E <= call.n;

  Tested<T> v[vectors];
#pragma unroll
  for (int k = 0; k < vectors; ++k) v[k].load(call, warp_begin + (k * 32 + lane) * E, inside);
  unsigned counts[vectors / 2];  // of two vectors each
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    v[k].test(call, warp_begin + (k * 32 + lane) * E);
    const unsigned c = __popc(v[k].kept) << (k % 2 * 16);
    counts[k / 2] = k % 2 == 0 ? c : counts[k / 2] | c;
  }
  int before[vectors], in_warp = 0;  // kept in the warp before the vector
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    if (k % 2 == 0) counts[k / 2] = warp_scan(counts[k / 2], Sum{});
    const int up_to = int(counts[k / 2] >> (k % 2 * 16) & 0xffff);
    before[k] = in_warp + up_to - __popc(v[k].kept);
    in_warp += shuffle(up_to, 31);
  }
  if (lane == 0) slots[warp] = in_warp;
  __syncthreads();
  const int sums = warp_scan(lane < warps ? slots[lane] : 0, Sum{});
  const int all = shuffle(sums, 31), warps_before = shuffle(sums, warp > 0 ? warp - 1 : 0);
  unsigned left = 0;
  if (warp == 0) {
    const long long start = board.look_back(mine, (long long)all, 0LL, Sum{});
    if (lane == 0) {
      kept_before = start;
      left = board.leave(mine);
      if (begin + tile >= call.n) *call.count = start + all;
    }
  }

  const std::int64_t first = max(begin, std::int64_t(0));  // the tile's first element
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    int rank = (warp > 0 ? warps_before : 0) + before[k];
    const int place = int(warp_begin + (k * 32 + lane) * E - first);  // in the tile
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (v[k].kept >> e & 1)
        places[rank++] = v[k].in.at[e];
      else if (call.partition && v[k].exists >> e & 1)
        places[tile - 1 - (place + e - rank)] = v[k].in.at[e];
    }
  }
  __syncthreads();
  const long long start = kept_before;
  store_run(call.y + start, places, all);
  if (call.partition) {
    const int others = int(min(begin + tile, call.n) - first) - all;
    store_run(call.y + call.n - (first - start) - others, places + tile - others, others);
  }
  if (warp == 0) board.clean(mine, left);
}

std::int64_t tiles_of(const Args& args) {
  std::int64_t tiles = 1;
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tiles = ceil_div(args.x.size() + skipped(args.x.as<T>()), tile_of<T>);
  });
  return std::max<std::int64_t>(1, tiles);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args);
    staged<<<grid_x(tiles, 1), threads, 0, stream>>>(Call<T>(args),
                                                     Board(1, tiles, args.scratch.data));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  return Board::bytes(1, tiles_of(args));
}

WARPATH_RUNG(Args, launch, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
