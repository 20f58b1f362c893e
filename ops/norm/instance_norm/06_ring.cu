// One block per SM walks over the planes, with all of its shared memory as a ring: the memory never waits for a reduction.
//
// What changed: for planes that are too long for 05: up to 128 KiB. The blocks of 04 start together, so all of them load, then all
// compute, then all store. Here the next planes are on their way while one is reduced and written from registers
// (ring_forward.cuh): up to 208 KiB in flight on each SM, at any time.
// Limit: the memory; for short planes the two reductions over 1024 threads per plane.
#include "core/host/dispatch.cuh"
#include "ops/norm/instance_norm/problem.cuh"
#include "ops/norm/ring_forward.cuh"

namespace warpath::instance_norm {
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
std::string untimed(const Forward&) {
  return "no GPU has timed it yet; one of 03 to 05 is chosen until one has";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = untimed);

}  // namespace
}  // namespace warpath::instance_norm
