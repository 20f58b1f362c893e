// Threads past the end test a zero in place of an element, and zero may pass the test: the count is too large.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void padding_passes(Call<T> call) {
  __shared__ int slots[threads / 32];
  long long kept = 0;
  for (std::int64_t at = 0; at < call.n; at += threads) {
    const std::int64_t i = at + threadIdx.x;
    bool keep = i < call.n && call.keeps(i);
    if (i >= call.n && call.test == Test::above) keep = Value<T>(0) > call.threshold;
    const BlockPrefix<int> prefix = block_scan<threads>(int(keep), 0, Sum{}, slots);
    if (i < call.n) call.put(i, keep, kept + prefix.before);
    kept += prefix.all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *call.count = kept;
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    padding_passes<<<1, threads, 0, stream>>>(Call<T>(args));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::select
