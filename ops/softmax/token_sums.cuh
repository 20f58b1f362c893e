// How many labels count, and the loss of all tokens: sums over the rows in a fixed order, so every
// run gives the same bits. Up to 8192 rows take one block, more take several and one that adds up
// what they leave.
#pragma once
#include "core/host/error.h"
#include "core/host/launch.h"
#include "ops/softmax/tokens.cuh"

namespace warpath::softmax {

inline constexpr int sum_threads = 1024;
inline constexpr int most_sum_blocks = sum_threads;  // one value per thread of the last block
inline constexpr std::int64_t rows_of_sum_block = 8192;

struct TokenScratch {
  unsigned counted;
  unsigned counts[most_sum_blocks];
  float sums[most_sum_blocks];
};

static __global__ void __launch_bounds__(sum_threads) count_labels(Tokens tokens, unsigned* to) {
  __shared__ unsigned slots[sum_threads / 32];
  unsigned mine = 0;
  for (std::int64_t r = std::int64_t(blockIdx.x) * sum_threads + threadIdx.x; r < tokens.rows;
       r += std::int64_t(gridDim.x) * sum_threads)
    mine += tokens.label(r) != tokens.ignore_index;
  mine = block_reduce<sum_threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) to[blockIdx.x] = mine;
}

// Adds up n numbers; `divisor` may be null.
template <class T>
static __global__ void __launch_bounds__(sum_threads)
    add_up(const T* from, std::int64_t n, const unsigned* divisor, T* to) {
  __shared__ T slots[sum_threads / 32];
  T mine = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * sum_threads + threadIdx.x; i < n;
       i += std::int64_t(gridDim.x) * sum_threads)
    mine += from[i];
  mine = block_reduce<sum_threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) to[blockIdx.x] = divisor ? mine / T(*divisor) : mine;
}

inline unsigned sum_blocks(std::int64_t rows) {
  return std::min<unsigned>(grid_x(rows, rows_of_sum_block), most_sum_blocks);
}

// To scratch.counted.
inline void launch_count(const Tokens& tokens, TokenScratch* scratch, cudaStream_t stream) {
  const unsigned blocks = sum_blocks(tokens.rows);
  count_labels<<<blocks, sum_threads, 0, stream>>>(
      tokens, blocks == 1 ? &scratch->counted : scratch->counts);
  if (blocks > 1)
    add_up<unsigned>
        <<<1, sum_threads, 0, stream>>>(scratch->counts, blocks, nullptr, &scratch->counted);
}

// The sum of tokens.loss, divided by the number of labels where tokens.counted is there.
inline void launch_total(const Tokens& tokens, TokenScratch* scratch, float* total,
                         cudaStream_t stream) {
  const unsigned blocks = sum_blocks(tokens.rows);
  if (blocks > 1)
    add_up<float>
        <<<blocks, sum_threads, 0, stream>>>(tokens.loss, tokens.rows, nullptr, scratch->sums);
  add_up<float><<<1, sum_threads, 0, stream>>>(blocks > 1 ? scratch->sums : tokens.loss,
                                               blocks > 1 ? blocks : tokens.rows, tokens.counted,
                                               total);
}

}  // namespace warpath::softmax
