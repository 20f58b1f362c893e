// CUB's merge sort. It sorts in place, so the input is copied first.
#include <cub/cub.cuh>

#include "ops/order/comparison.cuh"
#include "ops/order/merge_sort/merge_sort.h"

namespace warpath::merge_sort {
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
  dispatch_order(args.keys.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const Before<decltype(order)> before{order};
    if (args.has_values())
      CUDA_CHECK(cub::DeviceMergeSort::StableSortPairs(temporary, bytes, args.y.as<T>(),
                                                       args.y_values.as<int>(), args.keys.size(),
                                                       before, stream));
    else
      CUDA_CHECK(cub::DeviceMergeSort::StableSortKeys(temporary, bytes, args.y.as<T>(),
                                                      args.keys.size(), before, stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.keys.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.keys.size() == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(args.y.data, args.keys.data, std::size_t(args.keys.bytes()),
                             cudaMemcpyDeviceToDevice, stream));
  if (args.has_values())
    CUDA_CHECK(cudaMemcpyAsync(args.y_values.data, args.values.data,
                               std::size_t(args.values.bytes()), cudaMemcpyDeviceToDevice, stream));
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

WARPATH_PEER(Args, "CUB", launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::merge_sort
