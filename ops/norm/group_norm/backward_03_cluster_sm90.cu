// A cluster of blocks holds x and dy of the group in its shared memory: both are read once.
//
// What changed: forward 04 with two tensors. A warp leaves the two sums of its piece of a channel in shared
// memory; the block adds them up with the weights for dx and without them for dweight and dbias, and the blocks exchange
// the former (cluster_backward.cuh). The sums of the images are added up by a small second kernel.
// Limit: the memory; with SiLU the special function unit is near, because the slope is computed twice.
#include "core/host/dispatch.cuh"
#include "ops/norm/cluster_backward.cuh"
#include "ops/norm/group_norm/problem.cuh"

namespace warpath::group_norm {
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
  if (args.activation == Activation::silu)
    return "computes the slope of SiLU twice: 02 is 9% faster for 16x320x64x64";
  return norm::cluster_pays(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::group_norm
