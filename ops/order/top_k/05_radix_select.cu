// One block, one row: find the k-th element digit by digit, then sort only the best k.
//
// What changed: to select is less than to sort. A histogram over the eight highest bits of all candidates tells in which
// digit the k-th one lies; the next pass counts the next eight bits of those that have this digit. Once the k-th candidate is known,
// one more pass collects all that reach it, in any order: no two are equal, so sorting makes their order certain.
// Limit: the row is read once per digit and once more, three or four times, and the first histogram has few bins that are hit:
// floats of similar size share their highest bits, and atomics on one address wait for each other.
#include "ops/order/top_k/candidates.cuh"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void __launch_bounds__(threads) radix_select(Call<T> call) {
  __shared__ Candidate best[most_k];
  __shared__ SelectSlots slots;
  __shared__ int count;
  const std::int64_t row = blockIdx.x;
  const T* const x = call.x + row * call.cols;
  const auto at = [&](int c) { return candidate(key_of(x[c], call.flip), c); };
  if (threadIdx.x == 0) count = 0;
  const Candidate least = kth_largest(at, int(call.cols), int(call.k), slots);
  for (int c = threadIdx.x; c < int(call.cols); c += threads)
    if (const Candidate here = at(c); here >= least) best[atomicAdd(&count, 1)] = here;
  write_best(call, row, best, int(call.k));
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    radix_select<T><<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string preferred(const Forward& args) {
  return args.x.shape[1] <= 1024 && args.k <= 32 ? "short rows fit in a warp's registers" : "";
}

WARPATH_RUNG(Forward, launch, .supports = few_enough, .preferred = preferred);

}  // namespace
}  // namespace warpath::top_k
