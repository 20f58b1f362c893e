// A block, or a cluster of blocks, holds x and dy of a plane in its shared memory: both are read once.
//
// What changed: forward 04 with two tensors. A warp leaves the two sums of its piece of a plane in shared memory, and
// blocks of a cluster exchange theirs (cluster_backward.cuh). The sums of the images are added up by a small second kernel.
// Limit: the memory; for planes of a few KiB, the start of a block and its barriers.
#include "core/host/dispatch.cuh"
#include "ops/norm/cluster_backward.cuh"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
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
std::string preferred(const Backward&) {
  return "02 was 11 to 20% faster in all timed cases";
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::instance_norm
