// The warps' counts of the next round may overwrite those that a slow warp has not read yet: a barrier is missing at the
// end of a round.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void slots_reused(Call<T> call) {
  __shared__ int slots[threads / 32];
  long long kept = 0;
  for (std::int64_t at = 0; at < call.n; at += threads) {
    const std::int64_t i = at + threadIdx.x;
    const bool keep = i < call.n && call.keeps(i);
    const BlockPrefix<int> prefix = block_scan<threads>(int(keep), 0, Sum{}, slots);
    if (i < call.n) call.put(i, keep, kept + prefix.before);
    kept += prefix.all;
  }
  if (threadIdx.x == 0) *call.count = kept;
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    slots_reused<<<1, threads, 0, stream>>>(Call<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .race = true);

}  // namespace
}  // namespace warpath::select
