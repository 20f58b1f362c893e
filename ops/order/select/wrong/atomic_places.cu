// Each kept element takes the next place from a counter: all of them arrive, in the order in which threads do.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

template <class T>
__global__ void atomic_places(Call<T> call) {
  for (std::int64_t i = threadIdx.x; i < call.n; i += blockDim.x) {
    if (call.keeps(i))
      call.y[atomicAdd(reinterpret_cast<unsigned long long*>(call.count), 1ull)] = call.x[i];
  }
  if (!call.partition) return;
  __syncthreads();
  if (threadIdx.x == 0)
    for (std::int64_t i = 0, kept = 0; i < call.n; ++i) {
      const bool keep = call.keeps(i);
      if (!keep) call.put(i, false, kept);
      kept += keep;
    }
}

void launch(const Args& args, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(args.count.data, 0, 8, stream));
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    atomic_places<<<1, 256, 0, stream>>>(Call<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .deterministic = false);

}  // namespace
}  // namespace warpath::select
