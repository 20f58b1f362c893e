// Count in every tile, scan the counts, then each tile knows where its elements go.
//
// What changed: all SMs work. The first launch counts what each tile of 2048 elements keeps, the second scans the counts
// in one block, the third compacts each tile from its own start.
// Limit: x is read twice and tested twice, and the launches wait for each other.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;
constexpr std::int64_t tile = 8 * threads;

template <class T>
__global__ void __launch_bounds__(threads) count_kept(Call<T> call, long long* counts) {
  const std::int64_t first = blockIdx.x * tile;
  int kept = 0;
  for (int k = 0; k < tile / threads; ++k) {
    const std::int64_t i = first + k * threads + threadIdx.x;
    kept += __syncthreads_count(i < call.n && call.keeps(i));
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

__global__ void __launch_bounds__(threads)
    scan_counts(long long* counts, std::int64_t tiles, long long* count) {
  __shared__ long long slots[threads / 32];
  long long before = 0;
  for (std::int64_t first = 0; first < tiles; first += threads) {
    const std::int64_t j = first + threadIdx.x;
    const BlockPrefix<long long> prefix =
        block_scan<threads>(j < tiles ? counts[j] : 0LL, 0LL, Sum{}, slots);
    if (j < tiles) counts[j] = before + prefix.before;
    before += prefix.all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = before;
}

template <class T>
__global__ void __launch_bounds__(threads) compact(Call<T> call, const long long* starts) {
  const std::int64_t first = blockIdx.x * tile;
  walk<threads>(call, first, min(first + tile, call.n), starts[blockIdx.x]);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Call<T> call(args);
    const std::int64_t tiles = ceil_div(call.n, tile);
    auto* const counts = static_cast<long long*>(args.scratch.data);
    if (tiles > 0) count_kept<<<grid_x(tiles, 1), threads, 0, stream>>>(call, counts);
    scan_counts<<<1, threads, 0, stream>>>(counts, tiles, call.count);
    if (tiles > 0) compact<<<grid_x(tiles, 1), threads, 0, stream>>>(call, counts);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return ceil_div(args.x.size(), tile) * 8;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::select
