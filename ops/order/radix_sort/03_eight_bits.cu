// Eight bits per pass: a warp ranks its keys by ballots, without sorting them.
//
// What changed: four passes for 32 bits. A digit has 256 values, too many for splits. Instead, eight ballots show each
// lane which lanes of its warp have the same digit, and a counter per digit and warp how many came before. Thread d then
// adds up the warps' counters of digit d. Count, scan, scatter: three launches per pass.
// Limit: one block scans the counts, 256 per tile; every key is read three times per pass, and the stores are scattered.
#include "ops/order/radix_sort/rank.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 256, warps = threads / 32, items = 8, tile = threads * items;

// counts[row][digit][tile]
template <class U>
__global__ void __launch_bounds__(threads)
    count_digits(Pass<U> pass, unsigned* counts, std::int64_t tiles) {
  __shared__ unsigned bins[digits];
  const std::int64_t row = blockIdx.x / tiles, part = blockIdx.x % tiles;
  bins[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t i = part * tile + k * threads + threadIdx.x;
    if (i < pass.cols) atomicAdd(&bins[pass.digit(pass.keys[row * pass.cols + i])], 1u);
  }
  __syncthreads();
  counts[(row * digits + threadIdx.x) * tiles + part] = bins[threadIdx.x];
}

__global__ void __launch_bounds__(scan_threads) scan_digits(unsigned* counts, std::int64_t tiles) {
  scan_counts(counts + blockIdx.x * digits * tiles, digits * tiles);
}

template <class U>
__global__ void __launch_bounds__(threads)
    scatter(Pass<U> pass, const unsigned* starts, std::int64_t tiles) {
  __shared__ unsigned counts[warps][digits];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const std::int64_t row = blockIdx.x / tiles, part = blockIdx.x % tiles;
  for (int w = 0; w < warps; ++w) counts[w][t] = 0;
  __syncthreads();
  const std::int64_t first = part * tile + warp * 32 * items + lane;  // in the row
  unsigned digit[items], rank[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t i = first + k * 32;
    // Places past the end take part as keys of the last digit: they are behind all others.
    digit[k] = i < pass.cols ? pass.digit(pass.keys[row * pass.cols + i]) : digits - 1;
    rank[k] = rank_in_warp(digit[k], same_digit(digit[k]), counts[warp]);
  }
  __syncthreads();
  unsigned start = starts[(row * digits + t) * tiles + part];
  for (int w = 0; w < warps; ++w) {
    const unsigned count = counts[w][t];
    counts[w][t] = start;
    start += count;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t i = first + k * 32;
    if (i < pass.cols)
      pass.move(row * pass.cols + i, row * pass.cols + counts[warp][digit[k]] + rank[k]);
  }
}

std::int64_t tiles_of(const Args& args) {
  return ceil_div(args.keys.shape[1], tile);
}

std::int64_t count_bytes(const Args& args) {
  return args.keys.shape[0] * digits * tiles_of(args) * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    const std::int64_t rows = args.keys.shape[0], tiles = tiles_of(args);
    auto* const counts = static_cast<unsigned*>(args.scratch.data);
    const auto buffer = static_cast<char*>(args.scratch.data) + count_bytes(args);
    for_each_pass<U>(args, digit_bits, buffer, stream, [&](const Pass<U>& pass, int) {
      const unsigned blocks = grid_x(rows * tiles, 1);
      count_digits<<<blocks, threads, 0, stream>>>(pass, counts, tiles);
      scan_digits<<<grid_x(rows, 1), scan_threads, 0, stream>>>(counts, tiles);
      scatter<<<blocks, threads, 0, stream>>>(pass, counts, tiles);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return count_bytes(args) + buffer_bytes(args, digit_bits);
}

WARPATH_RUNG(Args, launch, .supports = short_enough, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::radix_sort
