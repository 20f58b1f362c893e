// CUB's argmax of one array. It says nothing about NaN. Its segmented one counts places by 32 bits and writes pairs of value
// and place, so it is not compared here.
#include <cub/cub.cuh>

#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

constexpr std::int64_t value_bytes = 256;  // the value needs a place to go to

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    CUDA_CHECK(cub::DeviceReduce::ArgMax(temporary, bytes, args.x.as<T>(),
                                         static_cast<T*>(args.scratch.data),
                                         args.y.as<std::int64_t>(), args.x.shape[1], stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.x.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(bytes) + value_bytes;
}

void launch(const Args& args, cudaStream_t stream) {
  auto bytes = static_cast<std::size_t>(args.scratch.bytes - value_bytes);
  call_cub(args, static_cast<char*>(args.scratch.data) + value_bytes, bytes, stream);
}

std::string supports(const Args& args) {
  if (args.kind == Kind::min) return "measured for the largest alone";
  return args.x.shape[0] == 1 && args.x.size() > 0 && args.x.is_contiguous()
             ? ""
             : "takes one row without gaps";
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::argmax
