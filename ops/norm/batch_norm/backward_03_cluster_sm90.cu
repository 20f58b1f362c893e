// A cluster of blocks holds x and dy of a channel in its shared memory: both are read once, by one kernel.
//
// What changed: forward 04 with two tensors. A warp leaves the two sums of its piece of a plane in shared memory, and
// the blocks of the cluster exchange theirs; they are dweight and dbias, so that no second kernel is needed
// (cluster_backward.cuh).
// Limit: the memory. Channels over 3 MiB in both tensors together and NHWC are left to 02.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/cluster_backward.cuh"

namespace warpath::batch_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_cluster_backward(problem<T>(args), args.scratch.data, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::cluster_backward_scratch(args.shape(), size_of(args.x.dtype));
}
std::string supports(const Backward& args) {
  return norm::cluster_takes(args.shape(), size_of(args.x.dtype), 2, args.x.as<char>(),
                             args.dy.as<char>(), args.dx.as<char>());
}
std::string preferred(const Backward& args) {
  return norm::cluster_pays(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::batch_norm
