// One thread, one input element: its place is its own index and the number of elements of the other input before it.
//
// A binary search counts them. An element of a comes before equal ones of b, so a counts what is less in b, and b counts
// what is less or equal in a.
// Limit: a search of log2(n) dependent loads for each element, and writes that go where the search says.
#include "ops/order/merge/call.cuh"

namespace warpath::merge {
namespace {

template <class T, class Order>
__global__ void binary_search(Call<T> call, Order order) {
  const std::int64_t t = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= call.n + call.m) return;
  const bool from_b = t >= call.n;
  const std::int64_t i = from_b ? t - call.n : t;
  const auto rank = order.rank(from_b ? call.b[i] : call.a[i]);
  std::int64_t low = 0, high = from_b ? call.n : call.m;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    const bool before =
        from_b ? !(rank < order.rank(call.a[middle])) : order.rank(call.b[middle]) < rank;
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
    binary_search<T>
        <<<grid_x(args.y.size(), threads), threads, 0, stream>>>(Call<T>::of(args), order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::merge
