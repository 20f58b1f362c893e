// Both inputs count what is less in the other: equal keys of a and b get the same place, and one of them is lost.
#include "ops/order/merge/call.cuh"

namespace warpath::merge {
namespace {

template <class T, class Order>
__global__ void same_search(Call<T> call, Order order) {
  const std::int64_t t = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= call.n + call.m) return;
  const bool from_b = t >= call.n;
  const std::int64_t i = from_b ? t - call.n : t;
  const auto rank = order.rank(from_b ? call.b[i] : call.a[i]);
  std::int64_t low = 0, high = from_b ? call.n : call.m;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    const bool before = order.rank(from_b ? call.a[middle] : call.b[middle]) < rank;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  call.put(i + low, from_b, i);
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    same_search<T>
        <<<grid_x(args.y.size(), threads), threads, 0, stream>>>(Call<T>::of(args), order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::merge
