// A scan of the flags gives every kept element its place; one block walks along the array.
//
// An element that is kept goes to the place that is the number of kept elements before it: the exclusive prefix sum of
// zeros and ones. Two threads never write to the same place, and the order is kept. An atomic counter would be shorter
// code, but hands out the places in the order in which threads happen to arrive.
// Limit: one SM works, with one small load in flight per thread.
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) one_block(Call<T> call) {
  const long long kept = walk<threads>(call, 0, call.n, 0);
  if (threadIdx.x == 0) *call.count = kept;
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_block<<<1, threads, 0, stream>>>(Call<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return args.x.size() <= (1 << 22) ? ""
                                    : "takes at most 2^22 elements: one block does all of them";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::select
