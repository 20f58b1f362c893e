// Warps with roles: one looks back, one has the copy engine load, sixteen test, rank and store, with one barrier per tile.
//
// What changed: in 05 the warp that looks back is one of those that test, so all wait for it at a barrier, and each element is loaded by
// instructions of its own. Here a warp of its own looks back for tile r while the others test tile r + 1, and a thread asks the
// copy engine for whole tiles. A tile is compacted after the barrier at which counts meet, and stored one round later, after the same
// barrier of the next tile: no other one is needed. The test is chosen once per tile and not once per vector; kept elements of a thread
// are bits of one word, and of four-byte types the counts of four vectors share a word, so one scan ranks 16 elements. Flags are loaded
// one tile ahead.
// Limit: shared memory, through which every element passes twice, and the instructions: about 15 per element.
#include "core/hopper/pipeline_state.cuh"
#include "core/host/device.cuh"
#include "core/ptx/roles.cuh"
#include "core/ptx/tma.cuh"
#include "ops/order/look_back.cuh"
#include "ops/order/select/tested.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int workers = 512, warps = workers / 32, threads = workers + 64;
constexpr int vectors = 4, stages = 3;
template <class T>
inline constexpr int tile_of = workers* vectors* lanes_of_16<T>;  // 32 KiB
constexpr int stage_bytes = workers * vectors * 16;

struct Storage {
  alignas(16) unsigned char ring[stages][stage_bytes];
  ptx::Barrier full[stages], empty[stages];
  ptx::Barrier told[4];               // of rounds modulo 4: `taken` is there
  ptx::Barrier counted[2], ready[2];  // of rounds modulo 2: `slots`, `kept_before` are there
  int taken[4];                       // tiles; -1: there are no more
  int slots[2][warps];                // kept per warp
  long long kept_before[2];
  bool is_last;

  __device__ __forceinline__ void init() {
    for (int s = 0; s < stages; ++s) {
      ptx::init(full[s], 1);
      ptx::init(empty[s], warps);
    }
    for (int s = 0; s < 4; ++s) ptx::init(told[s], 1);
    for (int s = 0; s < 2; ++s) {
      ptx::init(counted[s], warps);
      ptx::init(ready[s], 1);
    }
    ptx::fence_init();
  }
  __device__ __forceinline__ int tile(int round) {
    ptx::wait(told[round % 4], unsigned(round / 4) & 1);
    return taken[round % 4];
  }
};

// A tile's first place in x, which may be before x.
template <class T>
__device__ __forceinline__ std::int64_t begin_of(const Call<T>& call, int tile) {
  return std::int64_t(tile) * tile_of<T> - skipped(call.x);
}
template <class T>
__device__ __forceinline__ bool inside(const Call<T>& call, std::int64_t begin) {
  return begin >= 0 && begin + tile_of<T> <= call.n;
}

template <class T>
__device__ __forceinline__ void load_tiles(Storage& s, const Call<T>& call, const Board& board) {
  hopper::PipelineState<stages> at;
  unsigned ticket = board.ticket();
  for (int round = 0;; ++round) {
    const int tile = board.tile(ticket).row < 0 ? -1 : int(ticket);
    s.taken[round % 4] = tile;
    ptx::arrive(s.told[round % 4]);
    if (tile < 0) return;
    ticket = board.ticket();
    if (round >= stages) ptx::wait(s.empty[at.stage], at.parity ^ 1);
    const std::int64_t begin = begin_of(call, tile);
    if (inside(call, begin)) {
      ptx::arrive_expecting(s.full[at.stage], stage_bytes);
      ptx::load_bytes_once(s.ring[at.stage], call.x + begin, stage_bytes, s.full[at.stage]);
    } else {
      ptx::arrive(s.full[at.stage]);  // the workers load it
    }
    at.next();
  }
}

template <class T>
__device__ __forceinline__ void look_back(Storage& s, const Call<T>& call, const Board& board) {
  const int lane = threadIdx.x % 32;
  for (int round = 0;; ++round) {
    const int tile = s.tile(round);
    if (tile < 0) return;
    ptx::wait(s.counted[round % 2], unsigned(round / 2) & 1);
    const int count = warp_reduce<warps>(s.slots[round % 2][lane % warps], Sum{});
    const auto start = (long long)board.before({0, tile}, (unsigned long long)count, 0ULL, Sum{});
    if (lane != 0) continue;
    s.kept_before[round % 2] = start;
    if (begin_of(call, tile) + tile_of<T> >= call.n) *call.count = start + count;
    ptx::arrive(s.ready[round % 2]);
  }
}

// A worker's elements of a tile; bit k * E + e stands for element e of vector k.
template <class T>
struct Share {
  static constexpr int E = lanes_of_16<T>;
  static constexpr unsigned every = unsigned((1ull << (vectors * E)) - 1);
  struct Flags {
    unsigned words[E / 4];  // of a vector: four bytes each
  };
  uint4 in[vectors];  // words: elements of two bytes would occupy a register each
  unsigned exists, kept;

  // Element e of a vector, from the word that it is in.
  static __device__ __forceinline__ T at_of(unsigned word, int e) {
    if constexpr (sizeof(T) == 4) {
      return reinterpret_cast<const T&>(word);
    } else {
      const auto half = static_cast<unsigned short>(word >> (e % 2 * 16));
      return reinterpret_cast<const T&>(half);
    }
  }
  __device__ __forceinline__ T at(int k, int e) const {
    return at_of(reinterpret_cast<const unsigned(&)[4]>(in[k])[e * 4 / E], e);
  }

  // The place of vector k in its tile.
  static __device__ __forceinline__ int place(int k) {
    return ((threadIdx.x / 32 * vectors + k) * 32 + threadIdx.x % 32) * E;
  }
  static __device__ __forceinline__ void fetch_flags(Flags (&flags)[vectors], const Call<T>& call,
                                                     std::int64_t begin) {
    const bool whole =
        inside(call, begin) && reinterpret_cast<std::uintptr_t>(call.flags + begin) % 4 == 0;
#pragma unroll
    for (int k = 0; k < vectors; ++k)
#pragma unroll
      for (int w = 0; w < E / 4; ++w) {
        const std::int64_t at = begin + place(k) + 4 * w;
        flags[k].words[w] = 0;
        if (whole) {
          flags[k].words[w] = __ldcs(reinterpret_cast<const unsigned*>(call.flags + at));
        } else {
#pragma unroll 1
          for (int e = 0; e < 4; ++e)
            if (at + e >= 0 && at + e < call.n)
              flags[k].words[w] |= unsigned(call.flags[at + e]) << (8 * e);
        }
      }
  }

  // A tile that is not whole is not in `places` yet.
  __device__ __forceinline__ void load(const Call<T>& call, T* places, std::int64_t begin) {
    exists = every;
    if (!inside(call, begin)) {
      exists = 0;
#pragma unroll 1
      for (int i = 0; i < vectors * E; ++i) {
        const int to = place(i / E) + i % E;
        const bool here = begin + to >= 0 && begin + to < call.n;
        places[to] = here ? call.x[begin + to] : T(0);
        exists |= unsigned(here) << i;
      }
    }
#pragma unroll
    for (int k = 0; k < vectors; ++k) in[k] = *reinterpret_cast<const uint4*>(places + place(k));
  }

  // f(k, e): whether the element is kept.
  template <class F>
  __device__ __forceinline__ void keep(F f) {
    kept = 0;
#pragma unroll
    for (int k = 0; k < vectors; ++k)
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (f(k, e)) kept |= 1u << (k * E + e);
    kept &= exists;
  }
  __device__ __forceinline__ void test(const Call<T>& call, const T* places, std::int64_t begin,
                                       const Flags (&flags)[vectors]) {
    if (call.test == Test::above) {
      keep([&](int k, int e) { return value_of(at(k, e)) > call.threshold; });
    } else if (call.test == Test::flags) {
      keep([&](int k, int e) { return (flags[k].words[e / 4] >> (e % 4 * 8) & 0xff) != 0; });
    } else if (call.test == Test::nonzero) {
      keep([&](int k, int e) { return value_of(at(k, e)) != Value<T>(0); });
    } else {
      const bool loaded = inside(call, begin);
      T before[vectors];  // of each vector: the last element of the lane below
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const unsigned word = __shfl_up_sync(full_mask, in[k].w, 1);
        before[k] = at_of(word, E - 1);
        const std::int64_t i = begin + place(k) - 1;
        if (threadIdx.x % 32 == 0 && i >= 0 && i < call.n)
          before[k] = loaded && place(k) > 0 ? places[place(k) - 1] : call.x[i];
      }
      keep([&](int k, int e) {
        return value_of(at(k, e)) != value_of(e > 0 ? at(k, e - 1) : before[k]) ||
               begin + place(k) + e == 0;
      });
    }
  }

  // Kept elements before each vector in its warp, and in the whole warp. A field of a word holds 32 times E.
  __device__ __forceinline__ int rank(int (&before)[vectors]) const {
    constexpr int fields = E == 4 ? 4 : 2, bits = 32 / fields;
    int in_warp = 0;
#pragma unroll
    for (int k = 0; k < vectors; k += fields) {
      unsigned mine = 0;
#pragma unroll
      for (int f = 0; f < fields; ++f)
        mine |= unsigned(__popc(kept >> ((k + f) * E) & ((1u << E) - 1))) << (f * bits);
      const unsigned up_to = warp_scan(mine, Sum{}), all = shuffle(up_to, 31);
#pragma unroll
      for (int f = 0; f < fields; ++f) {
        before[k + f] = in_warp + int((up_to - mine) >> (f * bits) & ((1u << bits) - 1));
        in_warp += int(all >> (f * bits) & ((1u << bits) - 1));
      }
    }
    return in_warp;
  }

  // To the front of the tile's places what is kept, at its rank; with Partition to the end what is not.
  template <bool Partition>
  __device__ __forceinline__ void put(T* places, int rank, int k, int place) const {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (kept >> (k * E + e) & 1)
        places[rank++] = at(k, e);
      else if (Partition && exists >> (k * E + e) & 1)
        places[tile_of<T> - 1 - (place + e - rank)] = at(k, e);
    }
  }
};

template <class T>
__device__ __forceinline__ void work(Storage& s, const Call<T>& call, const Board& board) {
  constexpr int tile = tile_of<T>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  hopper::PipelineState<stages> at;
  int now = s.tile(0), last = 0, last_count = 0, last_stage = 0;
  typename Share<T>::Flags flags[vectors] = {};
  constexpr bool ahead =
      sizeof(T) == 4;  // of two bytes, twice as many flags would take too many registers
  if (ahead && call.test == Test::flags) Share<T>::fetch_flags(flags, call, begin_of(call, now));
  for (int round = 0;; ++round) {
    const bool more = now >= 0;
    const std::int64_t begin = begin_of(call, now);
    T* const places = reinterpret_cast<T*>(s.ring[at.stage]);
    int count = 0, next = -1;
    Share<T> mine;
    int before[vectors];
    if (more) {
      ptx::wait(s.full[at.stage], at.parity);
      mine.load(call, places, begin);
      if (!ahead && call.test == Test::flags) Share<T>::fetch_flags(flags, call, begin);
      mine.test(call, places, begin, flags);
      const int in_warp = mine.rank(before);
      if (lane == 0) {
        s.slots[round % 2][warp] = in_warp;
        ptx::arrive(s.counted[round % 2]);
      }
    }
    ptx::sync_some(1, workers);  // the tile is in registers, the last one compacted
    if (more) {
      const int sums = warp_scan<warps>(s.slots[round % 2][lane % warps], Sum{});
      count = shuffle(sums, warps - 1);
      if (threadIdx.x == 0) board.publish(Board::Tile{0, now}, (unsigned long long)count);
      const int others = shuffle(sums, warp > 0 ? warp - 1 : 0), base = warp > 0 ? others : 0;
      const int first = int(max(begin, std::int64_t(0)) - begin);  // the tile's first element
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        if (call.partition)
          mine.template put<true>(places, base + before[k], k, Share<T>::place(k) - first);
        else
          mine.template put<false>(places, base + before[k], k, 0);
      }
      next = s.tile(round + 1);
      if (ahead && call.test == Test::flags && next >= 0)
        Share<T>::fetch_flags(flags, call, begin_of(call, next));
    }
    if (round > 0) {
      ptx::wait(s.ready[(round - 1) % 2], unsigned((round - 1) / 2) & 1);
      const long long start = s.kept_before[(round - 1) % 2];
      const T* const other = reinterpret_cast<const T*>(s.ring[last_stage]);
      store_run<workers>(call.y + start, other, last_count);
      if (call.partition) {
        const std::int64_t last_begin = begin_of(call, last),
                           first = max(last_begin, std::int64_t(0));
        const int others = int(min(last_begin + tile, call.n) - first) - last_count;
        store_run<workers>(call.y + call.n - (first - start) - others, other + tile - others,
                           others);
      }
      ptx::fence_async_proxy();
      __syncwarp();
      if (lane == 0) ptx::arrive(s.empty[last_stage]);
    }
    if (!more) return;
    last = now;
    now = next;
    last_count = count;
    last_stage = at.stage;
    at.next();
  }
}

template <class T>
__global__ void __launch_bounds__(threads, 2)
    roles(const __grid_constant__ Call<T> call, const Board board) {
  extern __shared__ __align__(16) unsigned char shared[];
  Storage& s = *reinterpret_cast<Storage*>(shared);
  if (threadIdx.x == 0) s.init();
  __syncthreads();
  if (threadIdx.x < workers)
    work(s, call, board);
  else if (threadIdx.x < workers + 32)
    look_back(s, call, board);
  else if (threadIdx.x == workers + 32)
    load_tiles(s, call, board);
  __syncthreads();
  board.close(s.is_last);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args, stage_bytes);
    const auto kernel = roles<T>;
    const auto most = static_cast<std::int64_t>(2 * multiprocessors());
    kernel<<<grid_x(std::min(tiles, most), 1), threads, allow_shared(kernel, sizeof(Storage)),
             stream>>>(Call<T>(args), Board(1, tiles, args.scratch.data));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  return Board::bytes(1, tiles_of(args, stage_bytes));
}

std::string supports(const Args&) {
  return enough_shared_memory(sizeof(Storage));
}
std::string untimed(const Args&) {
  return "no GPU has timed it yet; 05 is chosen until one has";
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = untimed, .scratch = board_bytes,
             .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
