// Copies that pass through no register: global to shared memory, one tile ahead, by cp.async.
//
// What changed: a tile goes to shared memory without passing through registers, so a thread has
// room for 8x16 elements of d: 128 FMAs for six 16-byte loads, and a block for 128x256. Two stages
// of shared memory alternate, each 32 deep: few barriers for many FMAs. The elements of the next l
// are loaded before those of this one are used, past the end of a stage too: the threads meet one l
// earlier. An operand that lies along k is transposed by copies of 4 bytes each; the other takes
// 16. Blocks that run at the same time make a compact part of d, so that they find each other's
// tiles in the L2 cache. Every instruction that is no FMA costs an FMA's issue slot: so a thread's
// copies continue from where they were, a few at a time, and a block without edges has a loop
// without a single branch, in which FMAs fill every wait. Their order counts too: neighbours share
// an operand, which the register file then need not deliver again.
// Limit: the register file. An FMA reads three registers, and takes a second cycle unless it shares
// one with the FMA before it. And one instruction in 17 is no FMA.
#include "ops/matmul/matmul/async_slab.cuh"
#include "ops/matmul/matmul/grouped.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 128, right = 256, depth = 32;  // a block's part of d, and its step along k
constexpr int stages = 2;                           // a step's slot is 0 or 1
// The l at which a step's copies have all been started. Any after the last of them is right; with
// this one the compiler leaves the fewest waits in the loop.
constexpr int copies_started = 20;
constexpr int warp_down = 64, warp_right = 64;
constexpr int threads_right = 4;  // of a warp; 8 below each other
constexpr int threads = 32 * (down / warp_down) * (right / warp_right);

struct Stage {
  AsyncSlab<down, depth, threads> a;
  AsyncSlab<right, depth, threads> b;
};

// What a thread needs of one l: 8 elements of a in two vectors 32 apart, 16 of b in four.
struct Fragment {
  Vector<float, 4> a[2], b[4];

  __device__ __forceinline__ void load(const Stage& s, int l, int i0, int j0) {
#pragma unroll
    for (int q = 0; q < 4; ++q) b[q] = s.b.four(l, j0 + 16 * q);
#pragma unroll
    for (int q = 0; q < 2; ++q) a[q] = s.a.four(l, i0 + 32 * q);
  }
  __device__ __forceinline__ void multiply(float (&sum)[8][16]) const {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int q = 0; q < 16; ++q) {
        const int j = i % 2 == 0 ? q : 15 - q;  // to and fro
        sum[i][j] += a[i / 4].at[i % 4] * b[j / 4].at[j % 4];
      }
  }
};

// All copies are here, whoever made them.
__device__ __forceinline__ void meet() {
  ptx::copy_async_wait<0>();
  __syncthreads();
}

template <bool AK, bool BK>
__global__ void __launch_bounds__(threads, 1) async_tiles(Problem<float> p, Vectors vectors) {
  extern __shared__ __align__(16) unsigned char memory[];
  Stage* const stage = reinterpret_cast<Stage*>(memory);
  const Place tile = grouped_place<down, right>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i0 = warp / (right / warp_right) * warp_down + lane / threads_right * 4;
  const int j0 = warp % (right / warp_right) * warp_right + lane % threads_right * 4;

  // The first step takes what k leaves over, with zeros behind it; all others are whole along k.
  const int steps = int((p.k + depth - 1) / depth), over = int(p.k % depth);
  AsyncCopies<decltype(stage->a), AK> copies_a(from_a, stage->a, tile.row, over);
  AsyncCopies<decltype(stage->b), BK> copies_b(from_b, stage->b, tile.col, over);
  const auto fetch_any = [&](int step) {
    Stage& to = stage[step % stages];
    auto part_a = from_a;
    auto part_b = from_b;
    std::int64_t l0 = p.k - std::int64_t(steps - step) * depth;
    if (l0 < 0) part_a.k = part_b.k = over, l0 = 0;
    to.a.fetch(part_a, tile.row, l0);
    to.b.fetch(part_b, tile.col, l0);
  };
  float sum[8][16] = {};
  Fragment fragment[2];
  const auto multiply = [&](auto whole) {
    if (whole.value && over == 0) {
      for (int q = 0; q < copies_a.rounds; ++q) copies_a.round();
      for (int q = 0; q < copies_b.rounds; ++q) copies_b.round();
      copies_a.end();
      copies_b.end();
    } else {
      fetch_any(0);
    }
    ptx::copy_async_commit();
    meet();
    fragment[0].load(*stage, 0, i0, j0);
    for (int step = 0, slot = 0; step < steps; ++step, slot ^= 1) {
      const bool more = step + 1 < steps;
      const Stage& now = stage[slot];
      const Stage& then =
          stage[more ? slot ^ 1 : slot];  // behind the last step: itself, for nobody
      copies_a.begin((slot ^ 1) * sizeof(Stage));
      copies_b.begin((slot ^ 1) * sizeof(Stage));
      if (!whole.value && more) fetch_any(step + 1);
      [[maybe_unused]] constexpr int written_out = whole.value ? depth : 4;
#pragma unroll written_out
      for (int l = 0; l < depth; ++l) {
        fragment[(l + 1) % 2].load(l + 1 < depth ? now : then, (l + 1) % depth, i0, j0);
        if (l == copies_started) {
          copies_a.end();
          copies_b.end();
          ptx::copy_async_commit();
        }
        if (l == depth - 2) meet();  // nobody needs more of `now` than is under way
        if (whole.value && more) {
          if (l % 2 == 1 && l / 2 < copies_a.rounds) copies_a.round();
          if (l < copies_b.rounds) copies_b.round();
        }
        fragment[l % 2].multiply(sum);
      }
    }
  };
  const bool whole_a = tile.row + down <= p.m && (AK || vectors.a);
  const bool whole_b = tile.col + right <= p.n && (BK || vectors.b);
  // A block without edges has a loop without questions about them.
  if (steps > 0 && whole_a && whole_b)
    multiply(std::true_type{});
  else if (steps > 0)
    multiply(std::false_type{});

  const auto put = [&](auto f) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 16; j += 4) {
        const float four[4] = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
        f(four, tile.row + i0 + i / 4 * 32 + i % 4, tile.col + j0 + j * 4);
      }
  };
  // The steps of the epilogue, written out 32 times, are as long as the loop, and every tile
  // fetches them again.
  if (p.out.plain() && p.out.whole_fours())
    put([&](const float(&four)[4], std::int64_t row, std::int64_t col) {
      p.out.put_four(four, tile.batch, row, col);
    });
  else
    put([&](const float(&four)[4], std::int64_t row, std::int64_t col) {
      p.out.put(four, tile.batch, row, col);
    });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  with_form(args, [&](auto a, auto b) {
    const auto kernel = async_tiles<a.value, b.value>;
    allow_shared(kernel, stages * sizeof(Stage));
    kernel<<<tiles_of(args, down, right), threads, stages * sizeof(Stage), stream>>>(
        problem_of<float>(args), vectors_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (std::string why = f32_only(args); !why.empty()) return why;
  return enough_shared_memory(stages * sizeof(Stage));
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::matmul
