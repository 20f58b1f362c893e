// The tensor cores, by their C++ interface: WMMA.
//
// What changed: a warp multiplies 16x16 by 16x16 in one call. f16 and bf16 are multiplied as they
// are and added up in float; f32 is rounded to tf32, 10 bits of fraction, where the caller allows
// it. Four warps make 64x64 elements of d; tiles come to shared memory as they lie in global
// memory, and the call is told whether that is by rows or by columns.
// Limit: everything around the multiplication. A fragment is loaded for two products, with bank
// conflicts that the call does not let us avoid, and nothing is fetched while the warps multiply.
#include <mma.h>

#include "ops/matmul/matmul/chunk.cuh"

namespace warpath::matmul {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int side = 64;       // of a block's part of d
constexpr int warp_side = 32;  // 2x2 fragments
constexpr int threads = 32 * (side / warp_side) * (side / warp_side);

template <class T>
struct Wmma {  // 16x16 in steps of 16 along k
  using type = T;
  static constexpr int step = 16;
};
template <>
struct Wmma<float> {
  using type = wmma::precision::tf32;
  static constexpr int step = 8;
};

// A tile as it lies in memory; 16 bytes behind each row against bank conflicts.
template <class T, bool AlongK>
struct Padded {
  static constexpr int E = lanes_of_16<T>, depth = 64 / sizeof(T);
  static constexpr int rows = AlongK ? side : depth, cols = AlongK ? depth : side;
  static constexpr int pitch = cols + E;
  alignas(16) T at[rows * pitch];

  __device__ __forceinline__ void fetch(const Operand<T, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
    for (int v = threadIdx.x; v < rows * cols / E; v += threads) {
      const int r = v / (cols / E), c = v % (cols / E) * E;
      store<E>(at + r * pitch + c, chunk_of(x, i0 + (AlongK ? r : c), l0 + (AlongK ? c : r)));
    }
  }
  __device__ __forceinline__ const T* from(int i, int l) const {
    return at + (AlongK ? i * pitch + l : l * pitch + i);
  }
};

template <class Fragment>
__device__ __forceinline__ void round_to_tf32(Fragment& f) {
#pragma unroll
  for (int e = 0; e < f.num_elements; ++e) f.x[e] = wmma::__float_to_tf32(f.x[e]);
}

template <class T, bool AK, bool BK>
__global__ void __launch_bounds__(threads) by_wmma(Problem<T> p, Vectors vectors) {
  constexpr int step = Wmma<T>::step, depth = Padded<T, AK>::depth;
  using Type = typename Wmma<T>::type;
  using RowMajor = wmma::row_major;
  using ColMajor = wmma::col_major;
  __shared__ Padded<T, AK> a;
  __shared__ Padded<T, BK> b;
  __shared__ alignas(32) float out[side][side + 4];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int warp = threadIdx.x / 32;
  const int i0 = warp / (side / warp_side) * warp_side, j0 = warp % (side / warp_side) * warp_side;

  wmma::fragment<wmma::accumulator, 16, 16, step, float> sum[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], 0.0f);

  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth) {
    a.fetch(from_a, tile.row, l0);
    b.fetch(from_b, tile.col, l0);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; l += step) {
      wmma::fragment<wmma::matrix_a, 16, 16, step, Type, std::conditional_t<AK, RowMajor, ColMajor>>
          of_a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, step, Type, std::conditional_t<BK, ColMajor, RowMajor>>
          of_b[2];
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        wmma::load_matrix_sync(of_a[q], a.from(i0 + 16 * q, l), a.pitch);
        wmma::load_matrix_sync(of_b[q], b.from(j0 + 16 * q, l), b.pitch);
        if constexpr (sizeof(T) == 4) {
          round_to_tf32(of_a[q]);
          round_to_tf32(of_b[q]);
        }
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], of_a[i], of_b[j], sum[i][j]);
    }
    __syncthreads();
  }
  // Which element lies in which register of which thread is not told: by way of shared memory.
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&out[i0 + 16 * i][j0 + 16 * j], sum[i][j], side + 4,
                              wmma::mem_row_major);
  __syncthreads();
  for (int v = threadIdx.x; v < side * side / 4; v += threads) {
    const int i = v / (side / 4), j = v % (side / 4) * 4;
    const float four[4] = {out[i][j], out[i][j + 1], out[i][j + 2], out[i][j + 3]};
    p.out.put(four, tile.batch, tile.row + i, tile.col + j);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_form(args, [&](auto a, auto b) {
      by_wmma<T, a.value, b.value><<<tiles_of(args, side, side), threads, 0, stream>>>(
          problem_of<T>(args), vectors_of(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores);

}  // namespace
}  // namespace warpath::matmul
