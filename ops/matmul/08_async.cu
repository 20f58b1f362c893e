// Copies that nobody carries: global to shared memory, one tile ahead, by cp.async.
//
// What changed: a tile goes to shared memory without passing through registers, so a thread has
// room for 8x16 elements of d: 128 multiplications for six 16-byte loads, and a block for 128x256.
// Two stages of shared memory take turns, each 32 deep: few barriers for many multiplications. The
// elements of the next l are loaded before those of this one are used. An operand that lies along k is
// turned over by copies of 4 bytes each; the other takes 16. Blocks that run at the same time make a
// compact part of d, so that they find each other's tiles in the L2 cache. What is not a multiplication
// takes the turn of one: so a thread's copies go on from where they were, and ask nothing about edges
// where there are none. The order counts too: neighbours share an operand, which the register file then
// need not deliver again.
// Limit: the register file, where it does have to: three operands take it more than a cycle.
#include "async_slab.cuh"
#include "grouped.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 128, right = 256, depth = 32;  // a block's part of d, and its step along k
constexpr int stages = 2;
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
  const bool whole_a = tile.row + down <= p.m && (AK || vectors.a);
  const bool whole_b = tile.col + right <= p.n && (BK || vectors.b);
  const auto fetch = [&](int step, bool all) {
    Stage& to = stage[step % stages];
    const std::int64_t l0 = p.k - std::int64_t(steps - step) * depth;
    if (all || whole_a)
      copies_a.next(step % stages * sizeof(Stage));
    else
      to.a.fetch(from_a, tile.row, l0);
    if (all || whole_b)
      copies_b.next(step % stages * sizeof(Stage));
    else
      to.b.fetch(from_b, tile.col, l0);
  };
  if (over > 0) {
    auto part_a = from_a;
    auto part_b = from_b;
    part_a.k = part_b.k = over;
    stage->a.fetch(part_a, tile.row, 0);
    stage->b.fetch(part_b, tile.col, 0);
  } else if (steps > 0) {
    fetch(0, false);
  }
  ptx::copy_async_commit();

  float sum[8][16] = {};
  Fragment fragment[2];
  const auto multiply = [&](auto all) {
    for (int step = 0; step < steps; ++step) {
      const Stage& now = stage[step % stages];
      ptx::copy_async_wait<0>();
      __syncthreads();  // the tile is here, whoever copied it, and the other one was used
      fragment[0].load(now, 0, i0, j0);
      if (step + 1 < steps) fetch(step + 1, all.value);
      ptx::copy_async_commit();
#pragma unroll
      for (int l = 0; l < depth; ++l) {
        if (l + 1 < depth) fragment[(l + 1) % 2].load(now, l + 1, i0, j0);
        fragment[l % 2].multiply(sum);
      }
    }
  };
  // A block without edges has a loop without questions about them.
  if (whole_a && whole_b)
    multiply(std::true_type{});
  else
    multiply(std::false_type{});

#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
      const float four[4] = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
      p.out.put(four, tile.batch, tile.row + i0 + i / 4 * 32 + i % 4, tile.col + j0 + j * 4);
    }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  with_form(args, [&](auto a, auto b) {
    const auto kernel = async_tiles<a.value, b.value>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    stages * sizeof(Stage)));
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
