// Several blocks per channel, 16 bytes per load, and in NHWC the threads along the channels.
//
// What changed: one kernel over x and dy leaves the sums of dz and of dz * n of a part of a channel; small kernels add
// up the parts in a fixed order, for dx and for dweight and dbias; a last one writes dx, in the opposite order, so that
// what was read last comes from L2 (split_backward.cuh).
// Limit: x and dy are read twice.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/split_backward.cuh"

namespace warpath::batch_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_split_backward(problem<T>(args), args.scratch.data, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::split_backward_scratch(args.shape(), int(16 / size_of(args.x.dtype)));
}
std::string supports(const Backward& args) {
  return norm::split_takes(args.shape());
}

WARPATH_RUNG(Backward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::batch_norm
