// Tiles of 16-bit elements in shared memory, and products of them by mma.sync.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "core/ptx/matrix.cuh"
#include "core/ptx/mma.cuh"
#include "core/thread/vector.cuh"

namespace warpath::attention {

// The 16-byte chunks of a row are permuted by an XOR with bits of the row's number, so that ldmatrix,
// which reads one chunk of each of eight rows, finds them in all 32 banks. Rows of 128 bytes begin in
// the same bank: eight permutations. Of rows of 64 or 192 bytes two neighbours differ: four do.
template <int Rows, int Columns>
struct HalfTile {
  static constexpr int chunks = Columns / 8, row_bytes = 2 * Columns;
  static_assert(chunks % 4 == 0 && Rows % 16 == 0);
  static constexpr int permuted = chunks % 8 == 0 ? 7 : 3;
  alignas(128) unsigned char at[Rows * row_bytes];

  static __device__ __forceinline__ std::uint32_t place(int row, int chunk) {
    const int by = permuted == 7 ? row % 8 : row / 2 % 4;
    return row * row_bytes + (chunk ^ by) * 16;
  }

  // `rows` rows of `columns` elements from global memory, zeros around them; the caller commits.
  template <int Threads, class T>
  __device__ __forceinline__ void fetch_async(const T* from, std::int64_t step, int rows,
                                              int columns) {
    const std::uint32_t to = ptx::shared_address(at);
    static_assert(Rows * chunks % Threads == 0);
#pragma unroll
    for (int n = 0; n < Rows * chunks / Threads; ++n) {
      const int v = n * Threads + int(threadIdx.x), r = v / chunks, c = v % chunks;
      const bool inside = r < rows && c * 8 < columns;
      ptx::copy_async<16>(to + place(r, c), inside ? from + r * step + c * 8 : from, inside);
    }
  }

  // Where a lane reads 16x16 elements as four 8x8 matrices. A step by constants from the first such
  // square is an XOR of bits that are no part of a row's address, and an addition.
  struct Reader {
    std::uint32_t lane;
    int first_column;  // a multiple of 16, as all steps are

    __device__ __forceinline__ std::uint32_t at(int row, int column) const {
      const int chunk = (first_column + column) / 8;
      return (lane ^ (chunk & permuted) * 16) + (chunk & ~permuted) * 16 + row * row_bytes;
    }
    __device__ __forceinline__ void load(std::uint32_t (&f)[4], int row, int column) const {
      ptx::load_matrices(f, at(row, column));
    }
    __device__ __forceinline__ void transposed(std::uint32_t (&f)[4], int row, int column) const {
      ptx::load_matrices_transposed(f, at(row, column));
    }
  };
  // The second matrix is the one below the first: a of a product with k along the rows of the tile,
  // or b, transposed, with k down its columns.
  __device__ __forceinline__ Reader down(int row, int column) const {
    const int lane = threadIdx.x % 32;
    return {ptx::shared_address(at) + place(row + lane % 16, lane / 16), column};
  }
  // The second is the one beside the first: b with k along the rows, or a, transposed.
  __device__ __forceinline__ Reader right(int row, int column) const {
    const int lane = threadIdx.x % 32;
    return {ptx::shared_address(at) + place(row + lane % 8 + lane / 16 * 8, lane / 8 % 2), column};
  }

  // Two neighbours of row `row`, lane t of four the t-th pair of the chunk: as accumulators lie.
  __device__ __forceinline__ void put(int row, int chunk, std::uint32_t pair) {
    *reinterpret_cast<std::uint32_t*>(at + place(row, chunk) + threadIdx.x % 4 * 4) = pair;
  }
};

// Two floats as one word of 16-bit elements, the first in the low half.
template <class T>
__device__ __forceinline__ std::uint32_t packed(float first, float second) {
  std::uint32_t word;
  if constexpr (std::is_same_v<T, __half>)
    reinterpret_cast<__half2&>(word) = __floats2half2_rn(first, second);
  else
    reinterpret_cast<__nv_bfloat162&>(word) = __floats2bfloat162_rn(first, second);
  return word;
}

// sum (I times 16 rows, J times 8 columns) += a b over Steps times 16 of k. The fragment after the one
// in use is always under way: load_a(fragments, step), load_b(fragment of 16 columns, j, step).
template <class T, int Steps, int I, int J, class LoadA, class LoadB>
__device__ __forceinline__ void multiply(float (&sum)[I][J][4], LoadA&& load_a, LoadB&& load_b) {
  static_assert(J % 2 == 0);
  constexpr int pairs = J / 2;
  std::uint32_t a[2][I][4], b[2][4];
  load_a(a[0], 0);
  load_b(b[0], 0, 0);
#pragma unroll
  for (int n = 0; n < Steps * pairs; ++n) {
    const int step = n / pairs, j = n % pairs, next = n + 1;
    if (next < Steps * pairs) {
      if (next % pairs == 0) load_a(a[next / pairs % 2], next / pairs);
      load_b(b[next % 2], next % pairs, next / pairs);
    }
#pragma unroll
    for (int i = 0; i < I; ++i) {
      ptx::mma<T>(sum[i][2 * j], a[step % 2][i], b[n % 2][0], b[n % 2][1]);
      ptx::mma<T>(sum[i][2 * j + 1], a[step % 2][i], b[n % 2][2], b[n % 2][3]);
    }
  }
}

}  // namespace warpath::attention
