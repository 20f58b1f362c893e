// A block, or a cluster of blocks, holds the plane in its shared memory: x is read once.
//
// What changed: a plane of up to 48 KiB is one block's, larger ones are shared by a cluster of 2 to 16. It is fetched by
// asynchronous copies that take no registers; several blocks fit on an SM, and while one computes the others load and
// store. The mean and the distances from it are two passes over shared memory (cluster_forward.cuh).
// Limit: the memory; for planes of a few KiB, the start of a block and its barriers. NHWC is left to 03.
#include "core/host/dispatch.cuh"
#include "ops/norm/cluster_forward.cuh"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_cluster_forward(problem<T>(args), stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::cluster_takes(args.shape(), size_of(args.x.dtype), 1, args.x.as<char>(),
                             args.y.as<char>());
}
std::string preferred(const Forward& args) {
  if (args.shape().inner * std::int64_t(size_of(args.x.dtype)) < 64 << 10)
    return "planes of less than 64 KiB: 03 is 9% faster for 32x256x64x64";
  return norm::cluster_pays(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::instance_norm
