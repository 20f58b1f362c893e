// The products by the tensor cores: tiles arrive by cp.async while others are multiplied.
//
// What changed: a block makes 128 x 128 of a product. Tiles of 32 along k come by asynchronous copies
// into a ring of three stages; ldmatrix hands them to mma.sync, 16 x 8 x 16 per instruction, sums in
// float. An operand is taken as it lies: with k along its rows, or across them, where ldmatrix
// transposes on the way. The logits need the first form, dhidden one of each, dweight the second
// twice, and nothing is ever copied to be transposed. dhidden has few tiles and all words as its k,
// which is cut into parts; their sums are added in a fixed order.
// Limit: mma.sync. Every operand passes through registers, and a warp of 64 x 32 loads six of them
// for sixteen multiplications. dweight is read and written in float once per chunk.
#include "core/ptx/cp_async.cuh"
#include "core/ptx/matrix.cuh"
#include "core/ptx/mma.cuh"
#include "ops/softmax/linear_cross_entropy/chunks.cuh"

namespace warpath::linear_cross_entropy {
namespace {

constexpr int side = 128, depth = 32, stages = 3, threads = 256;

// 128 of the outer axis by 32 of k, in chunks of 16 bytes, permuted so that the eight that ldmatrix
// reads at once lie in all banks.
template <class T, bool AlongK>
struct Tile {
  static constexpr int rows = AlongK ? side : depth, chunks = (AlongK ? depth : side) / 8;
  Vector<T, 8> at[rows * chunks];

  static __device__ __forceinline__ int place(int row, int chunk) {
    return row * chunks + (chunk ^ (AlongK ? row / 2 % 4 : row % 8));
  }
  // Zeros outside. What lies between the end of k or of the outer axis and the next multiple of 8 is
  // readable: it is zero, or ends in columns that are not stored.
  __device__ __forceinline__ void fetch(const T* x, std::int64_t row_stride, std::int64_t outer,
                                        std::int64_t outer_size, std::int64_t k0, std::int64_t k) {
#pragma unroll
    for (int q = 0; q < rows * chunks / threads; ++q) {
      const int v = q * threads + int(threadIdx.x), r = v / chunks, c = v % chunks;
      const std::int64_t row = (AlongK ? outer : k0) + r, column = (AlongK ? k0 : outer) + 8 * c;
      const bool inside = row < (AlongK ? outer_size : k) && column < (AlongK ? k : outer_size);
      ptx::copy_async<16>(ptx::shared_address(&at[place(r, c)]),
                          inside ? x + row * row_stride + column : x, inside);
    }
  }
  // 16 of the outer axis by 16 of k, in the order that mma wants of a (OfA) or of b.
  template <bool OfA>
  __device__ __forceinline__ void load(std::uint32_t (&f)[4], int outer, int l) const {
    const int lane = threadIdx.x % 32, low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    const int beside = 8 * (OfA ? second : third), along = 8 * (OfA ? third : second);
    if constexpr (AlongK)
      ptx::load_matrices(f, ptx::shared_address(&at[place(outer + low + beside, (l + along) / 8)]));
    else
      ptx::load_matrices_transposed(
          f, ptx::shared_address(&at[place(l + low + along, (outer + beside) / 8)]));
  }
};

template <class T, bool AK, bool BK>
struct Stage {
  Tile<T, AK> a;
  Tile<T, BK> b;
};

template <class T, bool AK, bool BK>
__global__ void __launch_bounds__(threads, 2) multiplied(Product<T> p) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto* const ring = reinterpret_cast<Stage<T, AK, BK>*>(memory);
  // Tiles that run together share the shorter side, which stays in the L2 cache.
  const std::int64_t down = (p.m + side - 1) / side;
  const std::int64_t i0 = blockIdx.x % down * side, j0 = blockIdx.x / down / p.parts * side;
  const int part = int(blockIdx.x / down % p.parts);
  const std::int64_t begin = part * p.part, end = p.part_end(part);
  const std::int64_t steps = (end - begin + depth - 1) / depth;
  const auto fetch = [&](std::int64_t s) {
    if (s < steps) {
      auto& stage = ring[s % stages];
      stage.a.fetch(p.a, AK ? p.a_row : p.a_k, i0, p.m, begin + s * depth, end);
      stage.b.fetch(p.b, BK ? p.b_col : p.b_k, j0, p.n, begin + s * depth, end);
    }
    ptx::copy_async_commit();  // an empty one behind the last: their number says which has landed
  };
  const int warp = threadIdx.x / 32, wi = warp / 4 * 64, wj = warp % 4 * 32;
  float sum[4][4][4] = {};
  for (int s = 0; s < stages - 1; ++s) fetch(s);
  for (std::int64_t s = 0; s < steps; ++s) {
    ptx::copy_async_wait<stages - 2>();
    __syncthreads();  // this tile is here, the one before is read no more
    fetch(s + stages - 1);
    const auto& stage = ring[s % stages];
#pragma unroll
    for (int l = 0; l < depth; l += 16) {
      std::uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) stage.a.template load<true>(a[i], wi + 16 * i, l);
#pragma unroll
      for (int j = 0; j < 2; ++j) stage.b.template load<false>(b[j], wj + 16 * j, l);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          ptx::mma<T>(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      store_pair(p, i0 + wi + 8 * i + lane / 4, j0 + wj + 8 * j + lane % 4 * 2, part,
                 sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
}

template <class T, bool AK, bool BK>
void launch_form(const Product<T>& p, cudaStream_t stream) {
  constexpr int bytes = stages * int(sizeof(Stage<T, AK, BK>));  // 48 KiB
  multiplied<T, AK, BK>
      <<<grid_x(ceil_div(p.m, side) * ceil_div(p.n, side) * p.parts, 1), threads, bytes, stream>>>(
          p);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch<__half, __nv_bfloat16>(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_chunks<T, true>(args, stream, [&](const Product<T>& p) {
      with_form(
          p, [&]<class AK, class BK>(AK, BK) { launch_form<T, AK::value, BK::value>(p, stream); });
    });
  });
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores_need, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::linear_cross_entropy
