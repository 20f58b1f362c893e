// CUB's histogram of evenly spaced bins. It wants the first and the last edge on the host, so they are copied there first;
// the time includes that. An element on the last edge is in none of its bins.
#include <cub/cub.cuh>

#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, const float (&ends)[2], void* temporary, std::size_t& bytes,
              cudaStream_t stream) {
  dispatch<float, unsigned char>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Level = std::conditional_t<std::is_same_v<T, float>, float, int>;
    CUDA_CHECK(cub::DeviceHistogram::HistogramEven(
        temporary, bytes, args.x.as<T>(), args.y.as<Count>(), bins_of(args) + 1, Level(ends[0]),
        Level(ends[1]), static_cast<long long>(args.x.size()), stream));
  });
}

std::string supports(const Args& args) {
  if (args.x.dtype == DType::i32) return "compares integers as integers, not as floats";
  if (args.spacing != Spacing::uniform) return "takes uniform bins";
  return args.x.size() > 0 && args.y.size() > 0 ? "" : "takes no empty tensors";
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (supports(args).empty()) call_cub(args, {0.0f, 1.0f}, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  float ends[2] = {};
  for (const int k : {0, 1})
    CUDA_CHECK(cudaMemcpyAsync(&ends[k], args.edges.as<float>() + k * args.y.size(), sizeof(float),
                               cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, ends, args.scratch.data, bytes, stream);
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::histogram
