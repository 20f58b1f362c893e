// CUB's device-wide scan, and its scan by key where rows or segments separate the elements.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/cub.cuh>

#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

template <class A, class Op>
struct CubOp {
  __host__ __device__ A operator()(A a, A b) const {
    if constexpr (std::is_same_v<Op, Sum>)
      return a + b;
    else
      return a > b || a != a ? a : b;
  }
};

template <class A, class Op>
A identity() {
  if constexpr (std::is_same_v<Op, Sum>)
    return A(0);
  else
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
}

template <class T>
struct Widened {
  __host__ __device__ Value<T> operator()(T x) const { return static_cast<Value<T>>(x); }
};
struct RowOf {
  std::int64_t cols;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i / cols; }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using A = Value<T>;
    if constexpr (!std::is_same_v<decltype(op), Product> && sizeof(T) <= 4) {
      const CubOp<A, decltype(op)> cub_op;
      const A start = identity<A, decltype(op)>();
      const std::int64_t n = args.x.size();
      const auto in = thrust::make_transform_iterator(args.x.as<const T>(), Widened<T>{});
      if (args.x.shape[0] == 1) {
        CUDA_CHECK(args.exclusive
                       ? cub::DeviceScan::ExclusiveScan(temporary, bytes, in, args.y.as<T>(),
                                                        cub_op, start, n, stream)
                       : cub::DeviceScan::InclusiveScan(temporary, bytes, in, args.y.as<T>(),
                                                        cub_op, n, stream));
        return;
      }
      const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                        RowOf{args.x.shape[1]});
      CUDA_CHECK(args.exclusive ? cub::DeviceScan::ExclusiveScanByKey(
                                      temporary, bytes, keys, in, args.y.as<T>(), cub_op, start, n,
                                      ::cuda::std::equal_to<>{}, stream)
                                : cub::DeviceScan::InclusiveScanByKey(
                                      temporary, bytes, keys, in, args.y.as<T>(), cub_op, n,
                                      ::cuda::std::equal_to<>{}, stream));
    }
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.x.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

// Each operator takes nvcc a quarter of a minute.
std::string supports(const Args& args) {
  if (args.kind == Kind::product || args.x.dtype == DType::i64)
    return "is built for sums and maxima of at most 4 bytes";
  return args.reverse ? "is not called in reverse" : no_segments(args);
}

// Float sums: which values a tile finds published decides the order of the additions.
WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes,
             .deterministic = false);

}  // namespace
}  // namespace warpath::scan
