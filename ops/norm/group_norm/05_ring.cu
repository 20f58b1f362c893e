// One block per SM walks over the groups, with all of its shared memory as a ring: the memory never waits for a reduction.
//
// What changed: the blocks of 04 start together, so all of them load, then all compute, then all store, and the last ones do
// not fill the GPU. Here the next groups are on their way while one is reduced and written from registers
// (ring_forward.cuh): up to 208 KiB in flight on each SM, at any time.
// Limit: the memory, for groups of 32 to 128 KiB; for shorter ones the two reductions over 1024 threads per group.
#include "core/host/dispatch.cuh"
#include "ops/norm/group_norm/problem.cuh"
#include "ops/norm/ring_forward.cuh"

namespace warpath::group_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_ring_forward(problem<T>(args), stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::ring_takes(args.shape(), size_of(args.x.dtype), args.x.as<char>(),
                          args.y.as<char>());
}
// Timed on an H200: groups of 80 KiB in bf16.
std::string preferred(const Forward& args) {
  const std::int64_t element = std::int64_t(size_of(args.x.dtype));
  return element == 2 && args.shape().run() * element >= 32 << 10
             ? ""
             : "no GPU has timed it with groups under 32 KiB or in f32: 03 or 04";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::group_norm
