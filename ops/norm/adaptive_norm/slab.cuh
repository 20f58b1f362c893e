// Threads that stay in their columns: a block has a slab of the columns of one image, N per thread, and walks over tokens.
// What belongs to a column is loaded once per thread, and no thread divides to find its column.
#pragma once
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {

inline constexpr int slab_threads = 256, slab_unroll = 4;

struct Slab {
  dim3 block;            // threads along the columns, and rows of threads
  std::int64_t slabs;    // blocks that share the columns
  std::int64_t columns;  // per block

  Slab(std::int64_t cols, int N) {
    block = norm::row_block(std::min<std::int64_t>(cols, slab_threads * N), N, slab_threads);
    columns = std::int64_t(block.x) * N;
    slabs = ceil_div(cols, columns);
  }
};

// Where a thread works. Blocks are numbered image by image, part by part, slab by slab.
struct SlabPlace {
  std::int64_t image, part, column;

  __device__ __forceinline__ SlabPlace(std::int64_t parts, int slabs, int N) {
    const unsigned slab = blockIdx.x % unsigned(slabs), rest = blockIdx.x / unsigned(slabs);
    image = rest / unsigned(parts);
    part = rest % unsigned(parts);
    column = (std::int64_t(slab) * blockDim.x + threadIdx.x) * N;
  }
};

}  // namespace warpath::adaptive_norm
