// CUB's device-wide and segmented reduction, with sums in float as ours are.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/cub.cuh>

#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
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

struct RowStart {
  std::int64_t cols;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * cols; }
};

auto row_starts(std::int64_t cols) {
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                         RowStart{cols});
}

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using A = Accumulator<T>;
    const CubOp<A, decltype(op)> cub_op;
    const A start = identity<A, decltype(op)>();
    const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
    if (rows == 1)
      CUDA_CHECK(cub::DeviceReduce::Reduce(temporary, bytes, args.x.as<T>(), args.y.as<T>(), cols,
                                           cub_op, start, stream));
    else
      CUDA_CHECK(cub::DeviceSegmentedReduce::Reduce(temporary, bytes, args.x.as<T>(),
                                                    args.y.as<T>(), rows, row_starts(cols),
                                                    row_starts(cols) + 1, cub_op, start, stream));
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

WARPATH_PEER(Args, "CUB", launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::reduce
