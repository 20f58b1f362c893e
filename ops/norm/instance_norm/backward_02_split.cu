// Two sums per plane serve all: times the weight for dx, added up over the images for dweight and dbias.
//
// What changed: one kernel over x and dy leaves the sums of dz and of dz * n, several blocks per plane; small kernels
// make of them what dx needs and dweight and dbias, in a fixed order; a last one writes dx (split_backward.cuh).
// 16 bytes per load, threads along the channels in NHWC, as in forward 03.
// Limit: x and dy are read twice.
#include "core/host/dispatch.cuh"
#include "ops/norm/instance_norm/problem.cuh"
#include "ops/norm/split_backward.cuh"

namespace warpath::instance_norm {
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
}  // namespace warpath::instance_norm
