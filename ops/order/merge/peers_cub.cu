// CUB's merge of two sorted sequences.
#include <cub/cub.cuh>

#include "ops/order/merge/call.cuh"

namespace warpath::merge {
namespace {

template <class Order>
struct Before {
  Order order;
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return order.rank(a) < order.rank(b);
  }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const Call<T> c = Call<T>::of(args);
    const Before<decltype(order)> before{order};
    if (args.has_values())
      CUDA_CHECK(cub::DeviceMerge::MergePairs(temporary, bytes, c.a, c.a_values, c.n, c.b,
                                              c.b_values, c.m, c.y, c.y_values, before, stream));
    else
      CUDA_CHECK(
          cub::DeviceMerge::MergeKeys(temporary, bytes, c.a, c.n, c.b, c.m, c.y, before, stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.y.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

WARPATH_PEER(Args, "CUB", launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::merge
