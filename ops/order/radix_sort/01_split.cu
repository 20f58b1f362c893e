// One bit per pass: keys with a zero go to the front, keys with a one behind them, both in their order.
//
// Sorting by the lowest bit, then by the next, and so on to the highest sorts by all of them, because each pass keeps
// the order of the one before where its own bit is equal. A pass is a stable partition by prefix sums: count the zeros
// of each tile, scan the counts, then every key knows its place.
// Limit: 32 passes for 32 bits, each of which reads all keys three times and writes them once, in three launches.
#include "ops/order/radix_sort/digit.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 256;
constexpr std::int64_t tile = 8 * threads;

// counts[row][bit][tile]
template <class U>
__global__ void __launch_bounds__(threads)
    count_bits(Pass<U> pass, unsigned* counts, std::int64_t tiles) {
  const std::int64_t row = blockIdx.x / tiles, part = blockIdx.x % tiles;
  int zeros = 0;
  for (std::int64_t i = part * tile + threadIdx.x, k = 0; k < tile / threads; ++k, i += threads)
    zeros += __syncthreads_count(i < pass.cols && pass.digit(pass.keys[row * pass.cols + i]) == 0);
  if (threadIdx.x > 0) return;
  const std::int64_t n = min(tile, pass.cols - part * tile);
  counts[(row * 2 + 0) * tiles + part] = unsigned(zeros);
  counts[(row * 2 + 1) * tiles + part] = unsigned(n - zeros);
}

__global__ void __launch_bounds__(scan_threads) scan_bits(unsigned* counts, std::int64_t tiles) {
  scan_counts(counts + blockIdx.x * 2 * tiles, 2 * tiles);
}

template <class U>
__global__ void __launch_bounds__(threads)
    split(Pass<U> pass, const unsigned* starts, std::int64_t tiles) {
  __shared__ int slots[threads / 32];
  const std::int64_t row = blockIdx.x / tiles, part = blockIdx.x % tiles;
  std::int64_t zero_at = starts[(row * 2 + 0) * tiles + part];
  std::int64_t one_at = starts[(row * 2 + 1) * tiles + part];
  for (std::int64_t k = 0; k < tile / threads; ++k) {
    const std::int64_t first = part * tile + k * threads, i = first + threadIdx.x;
    const bool inside = i < pass.cols;
    const bool zero = inside && pass.digit(pass.keys[row * pass.cols + i]) == 0;
    const BlockPrefix<int> zeros = block_scan<threads>(int(zero), 0, Sum{}, slots);
    const std::int64_t to =
        zero ? zero_at + zeros.before : one_at + int(threadIdx.x) - zeros.before;
    if (inside) pass.move(row * pass.cols + i, row * pass.cols + to);
    zero_at += zeros.all;
    one_at += threads - zeros.all;
    __syncthreads();
  }
}

std::int64_t tiles_of(const Args& args) {
  return ceil_div(args.keys.shape[1], tile);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    const std::int64_t rows = args.keys.shape[0], tiles = tiles_of(args);
    auto* const counts = static_cast<unsigned*>(args.scratch.data);
    const auto buffer = static_cast<char*>(args.scratch.data) + ceil_div(rows * 2 * tiles, 4) * 16;
    for_each_pass<U>(args, 1, buffer, stream, [&](const Pass<U>& pass, int) {
      const unsigned blocks = grid_x(rows * tiles, 1);
      count_bits<<<blocks, threads, 0, stream>>>(pass, counts, tiles);
      scan_bits<<<grid_x(rows, 1), scan_threads, 0, stream>>>(counts, tiles);
      split<<<blocks, threads, 0, stream>>>(pass, counts, tiles);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return ceil_div(args.keys.shape[0] * 2 * tiles_of(args), 4) * 16 + buffer_bytes(args, 1);
}

WARPATH_RUNG(Args, launch, .supports = short_enough, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::radix_sort
