// Does not ask whether a is used up: the last keys of b are compared with whatever lies behind a.
#include "ops/order/co_rank.cuh"
#include "ops/order/merge/call.cuh"

namespace warpath::merge {
namespace {

constexpr int items = 16;

template <class T, class Order>
__global__ void end_of_a(Call<T> call, Order order) {
  const std::int64_t first = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * items;
  const std::int64_t size = call.n + call.m, end = first + items < size ? first + items : size;
  if (first >= size) return;
  std::int64_t i = co_rank(first, call.a, call.n, call.b, call.m, order), j = first - i;
  for (std::int64_t at = first; at < end; ++at) {
    const bool from_b =
        j < call.m && order.rank(call.b[j]) < order.rank(call.a[i < call.n ? i : call.n - 1]);
    call.put(at, from_b || i >= call.n, from_b ? j++ : (i < call.n ? i++ : 0));
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 128;
    end_of_a<T>
        <<<grid_x(args.y.size(), threads * items), threads, 0, stream>>>(Call<T>::of(args), order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::merge
