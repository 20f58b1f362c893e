// Blocks that stay: the next tile is on its way while one is compacted, and one waits for what its predecessors keep.
//
// What changed: as many blocks as fit take one tile after the other. Three tiles of each are in shared memory: one is
// being loaded, one is compacted where it is, and one, compacted and published a round before, looks back and is stored.
// A block of 04 had nothing in flight while it looked back, and looked back at tiles that had just been published or not
// yet. Tiles are twice as long, so there are half as many of them.
// Limit: the instructions that test and rank elements. Flags are not prefetched.
#include "core/host/device.cuh"
#include "core/ptx/cp_async.cuh"
#include "ops/order/look_back.cuh"
#include "ops/order/select/tested.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int threads = 512, warps = threads / 32, vectors = 4, stages = 3;
template <class T>
inline constexpr int tile_of = threads* vectors* lanes_of_16<T>;  // 32 KiB
constexpr int ring_bytes = stages * threads * vectors * 16;       // 96 KiB: two blocks on an SM

// A tile of x in shared memory: as it was loaded, in slots that belong to one thread, or compacted.
template <class T>
struct Stage {
  static constexpr int E = lanes_of_16<T>;
  T* places;

  __device__ __forceinline__ Stage(unsigned char* ring, int stage)
      : places(reinterpret_cast<T*>(ring) + stage * tile_of<T>) {}
  __device__ __forceinline__ T* slot(int k) const {
    return places + (k * threads + threadIdx.x) * E;
  }

  // The tile's first place in x, which may be before x.
  static __device__ __forceinline__ std::int64_t begin(const Call<T>& call, Board::Tile tile) {
    return tile.part * tile_of<T> - skipped(call.x);
  }
  static __device__ __forceinline__ bool inside(const Call<T>& call, std::int64_t begin) {
    return begin >= 0 && begin + tile_of<T> <= call.n;
  }
  // The first place of this thread's vector k.
  static __device__ __forceinline__ std::int64_t place(std::int64_t begin, int k) {
    return begin + ((threadIdx.x / 32 * vectors + k) * 32 + threadIdx.x % 32) * E;
  }

  // One group of copies, which may be empty.
  __device__ __forceinline__ void fetch(const Call<T>& call, Board::Tile tile) const {
    if (tile.row >= 0) {
      const std::int64_t from = begin(call, tile);
      const bool all = inside(call, from);
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        if (all) {
          ptx::copy_async<16>(ptx::shared_address(slot(k)), call.x + place(from, k));
        } else {
          Tested<T> v;
          v.load(call, place(from, k), false);
          store<E>(slot(k), v.in);
        }
      }
    }
    ptx::copy_async_commit();
  }

  // To the front of the tile's places what is kept, at its rank; with Partition to the end what is not.
  template <bool Partition>
  __device__ __forceinline__ void put(const Tested<T>& v, int rank, int place) const {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (v.kept >> e & 1)
        places[rank++] = v.in.at[e];
      else if (Partition && v.exists >> e & 1)
        places[tile_of<T> - 1 - (place + e - rank)] = v.in.at[e];
    }
  }
};

template <class T>
__global__ void __launch_bounds__(threads, 2) prefetched(Call<T> call, Board board) {
  constexpr int tile = tile_of<T>;
  extern __shared__ __align__(16) unsigned char ring[];
  __shared__ int slots[warps];
  __shared__ long long kept_before;
  __shared__ Board::Tile taken[4];  // of rounds modulo 4
  __shared__ bool is_last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool takes = threadIdx.x == threads - 1;  // not of the warp that looks back
  if (takes) {
    taken[0] = board.tile(board.ticket());
    taken[1] = board.tile(board.ticket());
    taken[3] = {-1, 0};  // the round before the first
  }
  __syncthreads();
  Stage<T>(ring, 0).fetch(call, taken[0]);
  Stage<T>(ring, 1).fetch(call, taken[1]);

  int stage = 0, last_count = 0;
  for (int round = 0;; ++round) {
    const Board::Tile now = taken[round % 4], last = taken[(round + 3) % 4];
    const unsigned ticket = takes ? board.ticket() : 0;
    const Stage<T> mine(ring, stage);
    const std::int64_t begin = Stage<T>::begin(call, now);
    Tested<T> v[vectors];
    int before[vectors], count = 0;
    if (now.row >= 0) {
      ptx::copy_async_wait<1>();
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        v[k].in = load<lanes_of_16<T>>(mine.slot(k));
        v[k].find(call, Stage<T>::place(begin, k), Stage<T>::inside(call, begin));
        v[k].test(call, Stage<T>::place(begin, k));
      }
      const int in_warp = rank_vectors(v, before);
      if (lane == 0) slots[warp] = in_warp;
    }
    __syncthreads();  // the tile is in registers now
    if (now.row >= 0) {
      const int sums = warp_scan<warps>(slots[lane % warps], Sum{});
      count = shuffle(sums, warps - 1);
      if (threadIdx.x == 0) board.publish(now, (unsigned long long)count);
      const int warps_before = shuffle(sums, warp > 0 ? warp - 1 : 0);
      const std::int64_t first = max(begin, std::int64_t(0));  // the tile's first element
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const int rank = (warp > 0 ? warps_before : 0) + before[k];
        const int place = int(Stage<T>::place(begin, k) - first);
        if (call.partition)
          mine.template put<true>(v[k], rank, place);
        else
          mine.template put<false>(v[k], rank, place);
      }
    }

    // The tile of the round before.
    const std::int64_t last_begin = Stage<T>::begin(call, last);
    if (round > 0 && warp == 0) {
      const auto start = (long long)board.before(last, (unsigned long long)last_count, 0ULL, Sum{});
      if (lane == 0) {
        kept_before = start;
        if (last_begin + tile >= call.n) *call.count = start + last_count;
      }
    }
    if (takes) taken[(round + 2) % 4] = board.tile(ticket);
    __syncthreads();
    const Stage<T> other(ring, stage == 0 ? stages - 1 : stage - 1);
    if (round > 0) {
      const long long start = kept_before;
      store_run<threads>(call.y + start, other.places, last_count);
      if (call.partition) {
        const std::int64_t first = max(last_begin, std::int64_t(0));
        const int others = int(min(last_begin + tile, call.n) - first) - last_count;
        store_run<threads>(call.y + call.n - (first - start) - others, other.places + tile - others,
                           others);
      }
    }
    if (now.row < 0) break;
    __syncthreads();  // the stage has been read
    other.fetch(call, taken[(round + 2) % 4]);
    last_count = count;
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  board.close(is_last);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args, tile_of<char>);
    const auto kernel = prefetched<T>;
    const auto most = static_cast<std::int64_t>(2 * multiprocessors());
    kernel<<<grid_x(std::min(tiles, most), 1), threads, allow_shared(kernel, ring_bytes), stream>>>(
        Call<T>(args), Board(1, tiles, args.scratch.data));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  return Board::bytes(1, tiles_of(args, tile_of<char>));
}

std::string supports(const Args&) {
  return enough_shared_memory(ring_bytes + 1024);
}

WARPATH_RUNG(Args, launch, .supports = supports, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
