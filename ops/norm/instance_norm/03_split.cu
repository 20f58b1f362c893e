// Several blocks per plane, 16 bytes per load, and in NHWC the threads along the channels.
//
// What changed: a first kernel leaves mean and squared distances of a part of a plane, computed over registers in two
// exact passes; a second joins the parts by Chan's rule (moments.cuh); a third makes the result, element by
// element, in the opposite order: what was read last is still in L2 (split_forward.cuh). In NHWC an image is a matrix
// of positions and channels: a block takes some rows, every thread 16 bytes of channels.
// Limit: x is read twice, and larger tensors than L2 pay for that in memory.
#include "core/host/dispatch.cuh"
#include "ops/norm/instance_norm/problem.cuh"
#include "ops/norm/split_forward.cuh"

namespace warpath::instance_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_split_forward(problem<T>(args), args.scratch.data, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Forward& args) {
  return norm::split_forward_scratch(args.shape(), int(16 / size_of(args.x.dtype)));
}
std::string supports(const Forward& args) {
  return norm::split_takes(args.shape());
}

WARPATH_RUNG(Forward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::instance_norm
