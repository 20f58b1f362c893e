// CUB's selection by flags, by a test, of unique elements, and its partition.
#include <cub/cub.cuh>

#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

template <class T>
struct Passes {
  Test test;
  float threshold;
  __device__ bool operator()(T x) const {
    const float value = static_cast<float>(x);
    return test == Test::above ? value > threshold : value != 0;
  }
};
template <>
struct Passes<int> {
  Test test;
  int threshold;
  __device__ bool operator()(int x) const { return test == Test::above ? x > threshold : x != 0; }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Call<T> c(args);
    const Passes<T> passes{c.test, c.threshold};
    if (c.test == Test::flags && c.partition)
      CUDA_CHECK(
          cub::DevicePartition::Flagged(temporary, bytes, c.x, c.flags, c.y, c.count, c.n, stream));
    else if (c.test == Test::flags)
      CUDA_CHECK(
          cub::DeviceSelect::Flagged(temporary, bytes, c.x, c.flags, c.y, c.count, c.n, stream));
    else if (c.test == Test::unique)
      CUDA_CHECK(cub::DeviceSelect::Unique(temporary, bytes, c.x, c.y, c.count, c.n, stream));
    else if (c.partition)
      CUDA_CHECK(
          cub::DevicePartition::If(temporary, bytes, c.x, c.y, c.count, c.n, passes, stream));
    else
      CUDA_CHECK(cub::DeviceSelect::If(temporary, bytes, c.x, c.y, c.count, c.n, passes, stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

std::string supports(const Args& args) {
  return args.test == Test::unique && args.partition ? "has no partition of unique elements" : "";
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::select
