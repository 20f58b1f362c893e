// Warps with roles: one looks back, one has TMA load, sixteen test, rank and store, with one barrier per tile.
//
// What changed: in 05 the warp that looks back is one of those that test, so all wait for it at a barrier, and each element is loaded by
// instructions of its own. Here a warp of its own looks back for tile r while the others test tile r + 1, and a thread asks
// TMA for whole tiles. A tile is compacted after the barrier at which counts meet, and stored one round later, after the same
// barrier of the next tile: no other one is needed. The test is chosen once per tile and not once per vector; kept elements of a thread
// are bits of one word, and of four-byte types the counts of four vectors share a word, so one scan ranks 16 elements. Flags are loaded
// one tile ahead.
// Limit: shared memory, through which every element passes twice, and the instructions: about 15 per element.
#include "core/hopper/pipeline_state.cuh"
#include "core/host/device.cuh"
#include "core/ptx/roles.cuh"
#include "core/ptx/tma.cuh"
#include "ops/order/select/share.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int warps = workers / 32, threads = workers + 64, stages = 3;

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
  __syncwarp();  // a barrier of the block wants whole warps, and one lane has loaded for its warp
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
std::string timed(const Args& args) {
  return args.partition ? "no GPU has timed a partition by it yet: 05" : "";
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = timed, .scratch = board_bytes,
             .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
