// A cluster of blocks holds the channel in its shared memory: x is read once.
//
// What changed: 1 to 16 blocks share a channel, about 48 KiB each, fetched by asynchronous copies that take no
// registers; four such blocks fit on an SM, and while one computes the others load and store. The mean and the
// distances from it are two passes over shared memory. The blocks exchange their moments through each other's shared
// memory (cluster_forward.cuh). A warp works inside one plane of one image.
// Limit: the memory. A channel over 3 MiB does not fit, and NHWC would leave most of each sector unused: both are left to 03.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/cluster_forward.cuh"

namespace warpath::batch_norm {
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
  return norm::cluster_pays(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::batch_norm
