// CUB's segmented reduction, with sums in float as ours are.
#include <cub/cub.cuh>

#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

template <class Op>
struct CubOp {
  __host__ __device__ float operator()(float a, float b) const {
    if constexpr (std::is_same_v<Op, Sum>)
      return a + b;
    else
      return a > b || a != a ? a : b;
  }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using Op = decltype(op);
    const auto* const offsets = args.offsets.as<const std::int64_t>();
    const float start = std::is_same_v<Op, Sum> ? 0.0f : -INFINITY;
    CUDA_CHECK(cub::DeviceSegmentedReduce::Reduce(temporary, bytes, args.x.as<T>(), args.y.as<T>(),
                                                  args.y.shape[0], offsets, offsets + 1,
                                                  CubOp<Op>{}, start, stream));
  });
}

std::string supports(const Args& args) {
  if (args.kind == Kind::mean || args.offsets.dtype != DType::i64)
    return "measured for sums and maxima, with 64-bit offsets";
  return args.y.shape[0] > 0 ? flat(args) : "takes no empty tensors";
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (supports(args).empty()) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::segment_sum
