// One thread, sixteen outputs: one search for all of them, then a serial merge.
//
// What changed: a thread asks how many of the outputs before its own come from a. This is the co-rank, found by one binary search
// over both inputs. From there on it merges as one would on a CPU, so a search is paid once per 16 elements.
// Limit: neighbouring threads read and write 16 elements apart: a sector is moved for every element a warp asks for.
#include "ops/order/co_rank.cuh"
#include "ops/order/merge/call.cuh"

namespace warpath::merge {
namespace {

constexpr int items = 16;

template <class T, class Order>
__global__ void by_co_rank(Call<T> call, Order order) {
  const std::int64_t first = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * items;
  const std::int64_t size = call.n + call.m, end = first + items < size ? first + items : size;
  if (first >= size) return;
  std::int64_t i = co_rank(first, call.a, call.n, call.b, call.m, order), j = first - i;
  for (std::int64_t at = first; at < end; ++at) {
    const bool from_b =
        j < call.m && (i == call.n || order.rank(call.b[j]) < order.rank(call.a[i]));
    call.put(at, from_b, from_b ? j++ : i++);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 128;
    by_co_rank<T>
        <<<grid_x(args.y.size(), threads * items), threads, 0, stream>>>(Call<T>::of(args), order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::merge
