// TMA keeps the memory busy; the threads read only what has arrived.
//
// What changed: one block per SM takes as many rows of w as every other, give or take one, and none
// has to add up what others summed. Four warps (the producers) load w, a kilobyte of a row at a
// time, into a ring of stages in shared memory: up to 160 KiB are on their way, and no register
// waits for them. The part of x that belongs to a stage comes with it, from L2: all blocks read the
// same one, and w, which is read once, is marked as the first to be evicted. Eight warps (the
// consumers) multiply what has arrived, as in rung 04, and release the stage. Where w is constant,
// the kernel starts while the one before it still runs (core/host/dependent_launch.cuh): the ring is
// filled with w, and only x is waited for.
// Limit: the memory, which brings 4.6 TB/s of an H200's 4.8 once it runs, and the ramp at both
// ends: the first stage is here after 2.7 us.
#include "core/hopper/pipeline_state.cuh"
#include "core/host/dependent_launch.cuh"
#include "core/ptx/grid_order.cuh"
#include "core/ptx/mma.cuh"
#include "core/ptx/roles.cuh"
#include "core/ptx/tma.cuh"
#include "ops/matmul/matvec/tensor.cuh"

namespace warpath::matvec {
namespace {

constexpr int tile = 32;              // rows of w of a stage: two products of 16
constexpr int piece = 512;            // elements of k of a stage
constexpr int row_bytes = piece * 2;  // of one copy
constexpr int producers = 4;  // warps, behind the `warps` that multiply; each asks for a quarter
constexpr int all_threads = threads + 32 * producers;
constexpr int ring_bytes = 224 * 1024;  // of the 227 KiB that a block may have
constexpr int consumers_meet = 1;       // the number of their barrier

template <int Groups>
struct Stage {
  unsigned char w[tile][row_bytes], x[8 * Groups][row_bytes];
};

template <int Groups>
struct Storage {
  using Parts = float[warps][8 * Groups][tile];
  static constexpr int stages = (ring_bytes - sizeof(Parts)) / sizeof(Stage<Groups>);  // 5 or 4
  alignas(128) Stage<Groups> stage[stages];
  Parts part;
  ptx::Barrier full[stages], empty[stages];
};

// So many rows of w for each block, and one more for the first `left`. Computed by the host: a
// division of 64 bits is more than a hundred instructions, which would have to come from memory
// before the first copy starts.
struct Shares {
  std::int64_t each;
  unsigned left;
};

// The rows of this block, a tile of them at a time.
struct Share {
  std::int64_t begin, end;
  __device__ __forceinline__ explicit Share(Shares all)
      : begin(blockIdx.x * all.each + min(blockIdx.x, all.left)),
        end(begin + all.each + (blockIdx.x < all.left)) {}
};

// A lane brings its row of every stage, of w or, behind these, of x. Neighbours are in different
// warps, because a warp asks for one copy after the other.
template <class T, int Groups>
__device__ __forceinline__ void produce(Storage<Groups>& s, const Problem<T>& p, Share share,
                                        bool w_is_constant) {
  static_assert(tile + 8 * Groups <= 32 * producers);
  const int lane = threadIdx.x % 32, producer = (threadIdx.x - threads) / 32;
  const int r = lane * producers + producer;
  const auto bytes_at = [&](std::int64_t l0) {
    return unsigned(min(std::int64_t(piece), p.k - l0)) * unsigned(sizeof(T));
  };
  const auto of_warp = [&](int rows) { return (rows - producer + producers - 1) / producers; };

  // Stages of the first tile that get their rows of w before x may be read.
  constexpr int most = Storage<Groups>::stages;
  const int ahead = w_is_constant ? int(min(std::int64_t(most), (p.k + piece - 1) / piece)) : 0;
  const int first = int(min(std::int64_t(tile), share.end - share.begin));
  for (int i = 0; i < ahead; ++i) {
    const unsigned bytes = bytes_at(i * piece);
    if (lane == 0) ptx::arrive_expecting(s.full[i], of_warp(first + int(p.rows)) * bytes);
    __syncwarp();
    if (r < first)
      ptx::load_bytes_once(s.stage[i].w[r], p.w + (share.begin + r) * p.k + i * piece, bytes,
                           s.full[i]);
  }
  ptx::wait_for_grids_before();

  int step = 0;
  hopper::PipelineState<most> state;
  for (std::int64_t j0 = share.begin; j0 < share.end; j0 += tile) {
    const int of_w = int(min(std::int64_t(tile), share.end - j0)), rows = of_w + int(p.rows);
    const T* const from = r < of_w ? p.w + (j0 + r) * p.k : p.x + (r - of_w) * p.k;
    for (std::int64_t l0 = 0; l0 < p.k; l0 += piece, state.next(), ++step) {
      const unsigned bytes = bytes_at(l0);
      Stage<Groups>& to = s.stage[state.stage];
      const bool has_w = step < ahead;
      if (!has_w) {
        ptx::wait(s.empty[state.stage], state.parity ^ 1);
        __syncwarp();  // no lane still looks at a phase that could end with what follows
        if (lane == 0) ptx::arrive_expecting(s.full[state.stage], of_warp(rows) * bytes);
        __syncwarp();
      }
      if (r < of_w && !has_w)
        ptx::load_bytes_once(to.w[r], from + l0, bytes, s.full[state.stage]);
      else if (r >= of_w && r < rows)
        ptx::load_bytes(to.x[r - of_w], from + l0, bytes, s.full[state.stage]);
    }
  }
}

// What a lane has summed of a tile: 16 rows of w by 8 of x in each [i][q].
template <int Groups>
using Sums = float[tile / 16][Groups][4];

// The rows that a lane reads of every stage, as bytes from its start: of w two for each product, of
// x one. Rows past the last are read as the last one, and their sums are not stored.
template <int Groups>
struct LaneRows {
  int w[tile / 16][2], x[Groups];

  __device__ __forceinline__ LaneRows(int of_w, int of_x) {
    const int g = threadIdx.x % 32 / 4;
#pragma unroll
    for (int i = 0; i < tile / 16; ++i)
#pragma unroll
      for (int low = 0; low < 2; ++low) w[i][low] = min(16 * i + 8 * low + g, of_w - 1) * row_bytes;
#pragma unroll
    for (int q = 0; q < Groups; ++q) x[q] = (tile + min(8 * q + g, of_x - 1)) * row_bytes;
  }
};

// 128 bytes of a row, 16 of each half in a lane. Even rows read the near half first, odd ones the
// other: eight lanes, which shared memory serves at a time, read two rows, and these then lie in
// different banks. Whole: no end of k is near.
template <bool Whole>
struct Halves {
  int first, second;  // bytes from the start of the stage's rows
  bool odd, has_first, has_second;

  __device__ __forceinline__ Halves(int number, int bytes) {
    odd = threadIdx.x / 4 % 2 != 0;
    const int at = number * 128 + threadIdx.x % 4 * 16;
    first = at + (odd ? 64 : 0);
    second = at + (odd ? 0 : 64);
    has_first = Whole || first < bytes;
    has_second = Whole || second < bytes;
  }
  __device__ __forceinline__ void read(const unsigned char* row, uint4 (&half)[2]) const {
    uint4 a{}, b{};
    if (has_first) a = *reinterpret_cast<const uint4*>(row + first);
    if (has_second) b = *reinterpret_cast<const uint4*>(row + second);
    half[0] = odd ? b : a;
    half[1] = odd ? a : b;
  }
};

// The products of one stage, which holds `bytes` of each row.
template <class T, int Groups, bool Whole>
__device__ __forceinline__ void multiply(Sums<Groups>& sum, const Stage<Groups>& from,
                                         const LaneRows<Groups>& rows, int bytes) {
  const unsigned char* const stage = from.w[0];
#pragma unroll
  for (int c = 0; c < row_bytes / 128 / warps; ++c) {
    const Halves<Whole> halves(c * warps + threadIdx.x / 32, bytes);
    uint4 w[tile / 16][2][2], x[Groups][2];
#pragma unroll
    for (int i = 0; i < tile / 16; ++i)
#pragma unroll
      for (int low = 0; low < 2; ++low) halves.read(stage + rows.w[i][low], w[i][low]);
#pragma unroll
    for (int q = 0; q < Groups; ++q) halves.read(stage + rows.x[q], x[q]);
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int i = 0; i < tile / 16; ++i) {
        const uint4 up = w[i][0][h], low = w[i][1][h];
        const std::uint32_t first[4] = {up.x, low.x, up.y, low.y};
        const std::uint32_t second[4] = {up.z, low.z, up.w, low.w};
#pragma unroll
        for (int q = 0; q < Groups; ++q) {
          ptx::mma<T>(sum[i][q], first, x[q][h].x, x[q][h].y);
          ptx::mma<T>(sum[i][q], second, x[q][h].z, x[q][h].w);
        }
      }
  }
}

// Adds up what the warps have and writes it.
template <class T, int Groups>
__device__ __forceinline__ void put_tile(const Sums<Groups>& sum, Storage<Groups>& s,
                                         const Problem<T>& p, std::int64_t j0, int of_w) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < tile / 16; ++i)
#pragma unroll
    for (int q = 0; q < Groups; ++q)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        s.part[warp][8 * q + 2 * t + e % 2][16 * i + g + e / 2 * 8] = sum[i][q][e];
  ptx::sync_some(consumers_meet, threads);
  const int j = threadIdx.x % tile;
  for (int row = threadIdx.x / tile; row < p.rows; row += threads / tile) {
    float all = 0;
#pragma unroll
    for (int v = 0; v < warps; ++v) all += s.part[v][row][j];
    if (j < of_w) p.put(all, row, j0 + j);
  }
  ptx::sync_some(consumers_meet, threads);  // before the next tile's sums
}

template <class T, int Groups>
__device__ __forceinline__ void consume(Storage<Groups>& s, const Problem<T>& p, Share share) {
  ptx::wait_for_grids_before();  // they may still read what y overwrites
  hopper::PipelineState<Storage<Groups>::stages> state;
  for (std::int64_t j0 = share.begin; j0 < share.end; j0 += tile) {
    const int of_w = int(min(std::int64_t(tile), share.end - j0));
    Sums<Groups> sum = {};
    const LaneRows<Groups> rows(of_w, int(p.rows));
    for (std::int64_t l0 = 0; l0 < p.k; l0 += piece, state.next()) {
      ptx::wait(s.full[state.stage], state.parity);
      const auto& stage = s.stage[state.stage];
      if (p.k - l0 >= piece)
        multiply<T, Groups, true>(sum, stage, rows, row_bytes);
      else
        multiply<T, Groups, false>(sum, stage, rows, int(p.k - l0) * int(sizeof(T)));
      ptx::arrive(s.empty[state.stage]);
    }
    put_tile<T, Groups>(sum, s, p, j0, of_w);
  }
}

template <class T, int Groups>
__global__ void __launch_bounds__(all_threads, 1)
    bulk(Problem<T> p, Shares shares, bool w_is_constant) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto& s = *reinterpret_cast<Storage<Groups>*>(shared);
  if (threadIdx.x == threads) {
    for (int i = 0; i < s.stages; ++i) {
      ptx::init(s.full[i], producers);
      ptx::init(s.empty[i], threads);
    }
    ptx::fence_init();
  }
  __syncthreads();
  ptx::let_next_grid_start();
  if (threadIdx.x >= threads)
    produce(s, p, Share(shares), w_is_constant);
  else
    consume(s, p, Share(shares));
}

unsigned blocks_of(const Args& args) {
  return std::min(grid_x(args.n(), 1), multiprocessors());
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some) {
      with_groups(some, [&](auto groups) {
        constexpr int Groups = decltype(groups)::value;
        constexpr int bytes = sizeof(Storage<Groups>);
        const auto kernel = bulk<T, Groups>;
        allow_shared(kernel, bytes);
        const unsigned blocks = blocks_of(some);
        const Shares shares{some.n() / blocks, unsigned(some.n() % blocks)};
        const DependentLaunch launch{blocks, all_threads, bytes, stream, args.w_is_constant};
        launch(kernel, problem_of<T>(some), shares, args.w_is_constant);
      });
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string long_enough(const Args& args) {
  if (args.y.size() == 0) return {};
  const std::int64_t tiles = ceil_div(ceil_div(args.n(), blocks_of(args)), tile);
  if (tiles * ceil_div(args.k(), piece) < 3)
    return "w is over after two stages per SM: too short for a ring";
  return {};
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores, .preferred = long_enough);

}  // namespace
}  // namespace warpath::matvec
