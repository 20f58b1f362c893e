// Each tile waits for the one before it, whose count and flag are two words: nothing makes the count visible before the flag,
// so a tile may see the flag and read an old count.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;
constexpr std::int64_t tile = 4 * threads;

template <class T>
__global__ void no_fence(Call<T> call, std::int64_t tiles, long long* counts, unsigned* flags) {
  __shared__ int slots[threads / 32];
  __shared__ long long before;
  const std::int64_t part = blockIdx.x, first = part * tile, last = min(first + tile, call.n);
  int mine = 0;
  for (std::int64_t i = first + threadIdx.x; i < last; i += threads) mine += call.keeps(i);
  const int own = block_scan<threads>(mine, 0, Sum{}, slots).all;
  if (threadIdx.x == 0) {
    before = 0;
    if (part > 0) {
      while (atomicAdd(&flags[part - 1], 0u) == 0) {
      }
      before = __ldcg(&counts[part - 1]);
      atomicExch(&flags[part - 1], 0u);  // for the next launch
    }
    if (part + 1 < tiles) {
      counts[part] = before + own;
      // Missing here: __threadfence();
      atomicExch(&flags[part], 1u);
    } else {
      *call.count = before + own;
    }
  }
  __syncthreads();
  walk<threads>(call, first, last, before);
}

std::int64_t tiles_of(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.size(), tile));
}
std::int64_t flag_bytes(const Args& args) {
  return ceil_div(tiles_of(args), 4) * 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return flag_bytes(args) + tiles_of(args) * 8;
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t tiles = tiles_of(args);
  auto* const flags = static_cast<unsigned*>(args.scratch.data);
  auto* const counts =
      reinterpret_cast<long long*>(static_cast<char*>(args.scratch.data) + flag_bytes(args));
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_fence<<<grid_x(tiles, 1), threads, 0, stream>>>(Call<T>(args), tiles, counts, flags);
  });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = flag_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::select
