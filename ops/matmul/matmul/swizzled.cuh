// Tiles in shared memory without bank conflicts, and the fragments of mma.sync taken from them.
// Used by the rungs 10 to 12.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "core/ptx/matrix.cuh"
#include "core/ptx/mma.cuh"
#include "core/warp/transpose_4x4.cuh"
#include "ops/matmul/matmul/chunk.cuh"

namespace warpath::matmul {

// Outer x 128 bytes of k, as it lies in global memory: rows along k, or rows along the outer axis.
// The 16-byte chunks of a row are permuted by an XOR with the row's number, so that eight rows of a
// column of chunks, which ldmatrix reads at once, lie in all 32 banks:
//   row 0 | 0 1 2 3 4 5 6 7 |
//   row 1 | 1 0 3 2 5 4 7 6 |
//   row 2 | 2 3 0 1 6 7 4 5 |  ...
template <class T, int Outer, bool AlongK>
struct Swizzled {
  static constexpr int E = lanes_of_16<T>;
  static constexpr int depth = 128 / sizeof(T);  // elements of k
  static constexpr int step = 32 / sizeof(T);    // of them for one mma
  static constexpr int rows = AlongK ? Outer : depth;
  static constexpr int chunks = (AlongK ? depth : Outer) / E;  // of a row
  static_assert(chunks % 8 == 0, "the permutation is one of eight chunks");
  alignas(128) Vector<T, E> at[rows * chunks];

  // Floats across the rows are read one by one, from four rows and two chunks of each: there the
  // rows step by two, and the fifth row is as the first.
  static constexpr int period = sizeof(T) == 4 && !AlongK ? 4 : 8;
  static __device__ __forceinline__ int place(int row, int chunk) {
    return row * chunks + (chunk ^ (row % period * (8 / period)));
  }

  // Through registers, waiting for it.
  template <int Threads>
  __device__ __forceinline__ void fetch(const Operand<T, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
    Vector<T, E> in[rows * chunks / Threads];
#pragma unroll
    for (int q = 0; q < rows * chunks / Threads; ++q) {
      const int v = q * Threads + int(threadIdx.x), r = v / chunks, c = v % chunks * E;
      in[q] = chunk_of(x, i0 + (AlongK ? r : c), l0 + (AlongK ? c : r));
    }
#pragma unroll
    for (int q = 0; q < rows * chunks / Threads; ++q) {
      const int v = q * Threads + int(threadIdx.x);
      at[place(v / chunks, v % chunks)] = in[q];
    }
  }

  // Asynchronously; the caller commits and waits. A tile that lies inside of the matrix needs no
  // bounds checks. At an edge, a chunk outside is filled with zeros, and one across the edge goes
  // through registers, as all do where rows are not aligned.
  template <int Threads>
  __device__ __forceinline__ void fetch_async(const Operand<T, AlongK>& x, std::int64_t i0,
                                              std::int64_t l0) {
    constexpr int rows_a_round = Threads / chunks;
    static_assert(Threads % chunks == 0 && rows_a_round % period == 0,
                  "the same column in all rounds");
    if (x.vectors && i0 + Outer <= x.size && l0 + depth <= x.k) {
      const int r = threadIdx.x / chunks, c = threadIdx.x % chunks;
      const T* from = x.at(i0 + (AlongK ? r : c * E), l0 + (AlongK ? c * E : r));
      const std::uint32_t to = ptx::shared_address(&at[place(r, c)]);
#pragma unroll
      for (int q = 0; q < rows / rows_a_round; ++q, from += rows_a_round * x.pitch)
        ptx::copy_async<16>(to + q * rows_a_round * chunks * 16, from);
      return;
    }
#pragma unroll 1
    for (int v = threadIdx.x; v < rows * chunks; v += Threads) {
      const int r = v / chunks, c = v % chunks * E;
      const std::int64_t i = i0 + (AlongK ? r : c), l = l0 + (AlongK ? c : r);
      const std::int64_t left = i >= x.size || l >= x.k ? 0 : AlongK ? x.k - l : x.size - i;
      Vector<T, E>& to = at[place(r, v % chunks)];
      if (x.vectors && (left == 0 || left >= E))
        ptx::copy_async<16>(ptx::shared_address(&to), x.at(i, l), left > 0);
      else
        to = chunk_of(x, i, l);
    }
  }

  // Where this lane reads for a, in bytes, and for b; i0 is a multiple of what a warp makes. The
  // steps from there along i and l change bits that are zero in it, or rows: an XOR and an addition
  // of constants.
  static __device__ __forceinline__ std::uint32_t lane_a(int i0) {
    const int lane = threadIdx.x % 32, low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    if constexpr (AlongK) return 16 * place(i0 + low + 8 * second, third);
    if constexpr (!AlongK && sizeof(T) == 2) return 16 * place(low + 8 * third, i0 / E + second);
    return lane_word(i0);
  }
  static __device__ __forceinline__ std::uint32_t lane_b(int j0) {
    const int lane = threadIdx.x % 32, low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    if constexpr (AlongK) return 16 * place(j0 + low + 8 * third, second);
    if constexpr (!AlongK && sizeof(T) == 2) return 16 * place(low + 8 * second, j0 / E + third);
    return lane_word(j0);
  }

  // Of a: 16 rows of d from i on, one step of k from l on. Floats lose the bits that tf32 has not,
  // in the tensor cores.
  __device__ __forceinline__ void load_a(std::uint32_t (&f)[4], std::uint32_t lane, int i,
                                         int l) const {
    if constexpr (AlongK || sizeof(T) == 2) {
      load_four(f, lane, i, l);
    } else {
      f[0] = word(lane, i, l);
      f[1] = word(lane, i + 8, l);
      f[2] = word(lane, i, l + 4);
      f[3] = word(lane, i + 8, l + 4);
    }
  }

  // Of b: two times 8 columns of d from j on, one step of k each.
  __device__ __forceinline__ void load_b(std::uint32_t (&f)[4], std::uint32_t lane, int j,
                                         int l) const {
    if constexpr (AlongK || sizeof(T) == 2) {
      load_four(f, lane, j, l);
    } else {
      f[0] = word(lane, j, l);
      f[1] = word(lane, j, l + 4);
      f[2] = word(lane, j + 8, l);
      f[3] = word(lane, j + 8, l + 4);
    }
  }

 private:
  static __device__ __forceinline__ std::uint32_t chunk(int elements) {
    return std::uint32_t(elements / E * 16);
  }
  __device__ __forceinline__ void load_four(std::uint32_t (&f)[4], std::uint32_t lane, int i,
                                            int l) const {
    const std::uint32_t tile = ptx::shared_address(at);
    if constexpr (AlongK)
      ptx::load_matrices(f, tile + (lane ^ chunk(l)) + i * chunks * 16);
    else
      ptx::load_matrices_transposed(f, tile + (lane ^ chunk(i)) + l * chunks * 16);
  }
  // The lanes of a fragment of floats across the rows: t = lane % 4 along k, g = lane / 4 beside.
  static __device__ __forceinline__ std::uint32_t lane_word(int i0) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    return std::uint32_t(16 * place(t, (i0 + g) / E) + g % E * sizeof(T));
  }
  __device__ __forceinline__ std::uint32_t word(std::uint32_t lane, int i, int l) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(at);
    return *reinterpret_cast<const std::uint32_t*>(bytes + (lane ^ chunk(i)) + l * chunks * 16);
  }
};

// A warp's part of d in registers: I x 16 rows, J x 8 columns.
template <class T, int I, int J>
struct WarpSum {
  float at[I][J][4] = {};

  struct Fragments {
    std::uint32_t a[I][4], b[J / 2][4];

    template <class A, class B>
    __device__ __forceinline__ void load(const A& a_tile, const B& b_tile, std::uint32_t lane_a,
                                         std::uint32_t lane_b, int l) {
#pragma unroll
      for (int i = 0; i < I; ++i) a_tile.load_a(a[i], lane_a, 16 * i, l);
#pragma unroll
      for (int j = 0; j < J / 2; ++j) b_tile.load_b(b[j], lane_b, 16 * j, l);
    }
  };

  __device__ __forceinline__ void add(const Fragments& f) {
#pragma unroll
    for (int i = 0; i < I; ++i)
#pragma unroll
      for (int j = 0; j < J; ++j)
        ptx::mma<T>(at[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
  }

  // Where the thread's first sum lies in the warp's part of d.
  static __device__ __forceinline__ int row() {
    return int(threadIdx.x) % 32 / 4;
  }
  static __device__ __forceinline__ int col() {
    return int(threadIdx.x) % 4 * 2;
  }

  // f(sum, its neighbour in the row, row, column), by reference, relative to the first.
  template <class F>
  __device__ __forceinline__ void for_each_pair(F&& f) {
#pragma unroll
    for (int i = 0; i < I; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int j = 0; j < J; ++j) f(at[i][j][2 * h], at[i][j][2 * h + 1], 16 * i + 8 * h, 8 * j);
  }

  // Through the epilogue to d; (row0, col0) is where the warp's part begins.
  __device__ __forceinline__ void put(const Epilogue<T>& out, std::int64_t batch, std::int64_t row0,
                                      std::int64_t col0) {
    finish(out, batch, row0 + row(), col0 + col(), [&](auto f) {
#pragma unroll
      for (int i = 0; i < I; ++i)
#pragma unroll
        for (int j = 0; j < J; ++j) f(at[i][j], 16 * i, 8 * j);
    });
    if constexpr (sizeof(T) == 2)
      if (out.whole_vectors()) return store_vectors(out, batch, row0, col0);
    store_pairs(out, batch, row0 + row(), col0 + col(), [&](auto f) { for_each_pair(f); });
  }

  // Finished sums as 16 bits, eight of a row by each lane: pairs would write half of each 32-byte
  // sector at a time.
  __device__ __forceinline__ void store_vectors(const Epilogue<T>& out, std::int64_t batch,
                                                std::int64_t row0, std::int64_t col0) const {
    const std::int64_t first = row0 + row(), left = col0 + threadIdx.x % 4 * 8;
    T* const to = static_cast<T*>(out.d) + ((batch * out.m + first) * out.n + left);
#pragma unroll
    for (int i = 0; i < 2 * I; ++i)
#pragma unroll
      for (int q = 0; q < J / 4; ++q) {
        std::uint32_t word[4];  // two neighbours of each of four times 8 columns
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float* const sum = at[i / 2][4 * q + e] + i % 2 * 2;
          const Vector<T, 2> pair = {from_float<T>(sum[0]), from_float<T>(sum[1])};
          word[e] = reinterpret_cast<const std::uint32_t&>(pair);
        }
        transpose_4x4(word);
        if (first + 8 * i < out.m && left + 32 * q < out.n)
          __stwb(reinterpret_cast<uint4*>(to + 8 * i * out.n + 32 * q),
                 make_uint4(word[0], word[1], word[2], word[3]));
      }
  }
};

}  // namespace warpath::matmul
