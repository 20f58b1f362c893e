// Sums over all rows, one per column: each block leaves the sums of its own rows in scratch memory, a
// second kernel adds those up in a fixed order, so that the result has the same bits in every run.
#pragma once
#include "core/host/device.cuh"
#include "ops/norm/row.cuh"

namespace warpath::norm {

// Blocks that walk over the rows: about 1024 resident threads on each SM. More blocks would leave more
// partial sums to add up.
inline unsigned walking_blocks(std::int64_t rows, dim3 block) {
  const unsigned resident = multiprocessors() * std::max(1u, most_threads / (block.x * block.y));
  return static_cast<unsigned>(std::min<std::int64_t>(ceil_div(rows, block.y), resident));
}

// `K` sums per column and block: scratch memory is [blocks][K][cols] floats.
inline std::int64_t partial_bytes(std::int64_t blocks, int K, std::int64_t cols) {
  return blocks * K * cols * static_cast<std::int64_t>(sizeof(float));
}

inline constexpr int add_tile = 32;  // columns per block, and threads per column

template <class T>
static __global__ void __launch_bounds__(add_tile* add_tile)
    add_partials(const float* partials, unsigned blocks, int K, T* first, T* second,
                 std::int64_t cols) {
  __shared__ float tile[add_tile][add_tile + 1];  // one more: a column lies in 32 different banks
  T* const out = blockIdx.y == 0 ? first : second;
  const std::int64_t column = std::int64_t(blockIdx.x) * add_tile + threadIdx.x;
  float sum = 0;
  if (column < cols)
    for (unsigned b = threadIdx.y; b < blocks; b += add_tile)
      sum += partials[(std::int64_t(b) * K + blockIdx.y) * cols + column];
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  // Warp w adds up column w.
  sum = warp_reduce(tile[threadIdx.x][threadIdx.y], Sum{});
  const std::int64_t own = std::int64_t(blockIdx.x) * add_tile + threadIdx.y;
  if (threadIdx.x == 0 && own < cols && out) out[own] = from_float<T>(sum);
}

// first and second: the results of K = 1 or 2 sums; null where one is not wanted.
template <class T>
void launch_add_partials(const void* partials, unsigned blocks, int K, T* first, T* second,
                         std::int64_t cols, cudaStream_t stream) {
  if (cols == 0 || (!first && !second)) return;
  add_partials<T><<<dim3(grid_x(cols, add_tile), K), dim3(add_tile, add_tile), 0, stream>>>(
      static_cast<const float*>(partials), blocks, K, first, second, cols);
}

// The sums of one block in shared memory, K per column, while it walks over rows. A thread only
// touches the places of its own columns, so rows need no barrier; rows side by side have sums of their
// own. N consecutive columns of a thread lie in pieces of 16 bytes with the other threads' between
// them: no bank conflicts.
template <int N, int Items, int K>
struct ColumnSums {
  static constexpr int width = N < 4 ? N : 4, pieces = N / width;
  using Piece = Vector<float, width>;
  float* sums;  // of this thread's row of the block

  static __host__ __device__ int row_floats(int threads) { return K * Items * N * threads; }
  static std::size_t bytes(dim3 block) {
    return sizeof(float) * static_cast<std::size_t>(row_floats(int(block.x))) * block.y;
  }

  __device__ __forceinline__ explicit ColumnSums(float* shared)
      : sums(shared + threadIdx.y * row_floats(blockDim.x)) {
    for (int i = 0; i < K * Items * pieces; ++i) at(i) = Piece{};
  }
  // Sum k of the columns of one item.
  __device__ __forceinline__ void add(int k, int item, const float (&v)[N]) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      Piece& place = at((k * Items + item) * pieces + p);
      Piece sum = place;
#pragma unroll
      for (int w = 0; w < width; ++w) sum.at[w] += v[p * width + w];
      place = sum;
    }
  }
  // Leaves the sums over the rows of the block in its part of the scratch memory.
  __device__ __forceinline__ void leave(const float* shared, float* partials,
                                        std::int64_t cols) const {
    __syncthreads();
    const int threads = blockDim.x, row = row_floats(threads), one = row / K;
    partials += std::int64_t(blockIdx.x) * K * cols;
    for (int e = threadIdx.y * threads + threadIdx.x; e < row; e += threads * blockDim.y) {
      float sum = 0;
      for (int y = 0; y < int(blockDim.y); ++y) sum += shared[y * row + e];
      const int place = e % one / width, item = place / threads / pieces;
      const int column =
          (item * threads + place % threads) * N + place / threads % pieces * width + e % width;
      if (column < cols) partials[e / one * cols + column] = sum;
    }
  }

 private:
  __device__ __forceinline__ Piece& at(int place) {
    return reinterpret_cast<Piece*>(sums)[place * int(blockDim.x) + threadIdx.x];
  }
};

}  // namespace warpath::norm
