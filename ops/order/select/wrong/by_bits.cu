// Compares the bits of elements, not their values: minus zero is not zero then, and equal to no zero.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;

template <class T>
__device__ unsigned bits_of(T x) {
  if constexpr (sizeof(T) == 4)
    return reinterpret_cast<const unsigned&>(x);
  else
    return reinterpret_cast<const unsigned short&>(x);
}

template <class T>
__global__ void by_bits(Call<T> call) {
  __shared__ int slots[threads / 32];
  long long kept = 0;
  for (std::int64_t at = 0; at < call.n; at += threads) {
    const std::int64_t i = at + threadIdx.x;
    bool keep = false;
    if (i < call.n) {
      keep = call.keeps(i);
      if (call.test == Test::nonzero) keep = bits_of(call.x[i]) != 0;
      if (call.test == Test::unique) keep = i == 0 || bits_of(call.x[i]) != bits_of(call.x[i - 1]);
    }
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
    by_bits<<<1, threads, 0, stream>>>(Call<T>(args));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::select
