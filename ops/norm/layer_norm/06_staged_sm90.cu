// Rows over 64 KiB are staged in the shared memory of a cluster of blocks.
//
// What changed: such a row fills the registers of a whole SM, so that nothing is loaded while it is
// normalised, or does not fit at all and is read twice. Here 2 to 16 blocks share it, 64 KiB each, fetched by
// asynchronous copies that take no registers; three blocks fit on an SM, and while one computes the others
// load and store. The blocks exchange their moments through each other's shared memory
// (forward_staged.cuh).
// Limit: the memory. In larger clusters, the time that blocks wait for each other.
#include "core/host/dispatch.cuh"
#include "ops/norm/forward_staged.cuh"
#include "ops/norm/layer_norm/problem.cuh"

namespace warpath::layer_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    norm::launch_forward_staged<true>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::staged_takes(args.x, args.y, args.weight, args.bias);
}

// Rows of up to 128 KiB are read once by 05 too, and no GPU has timed them here yet; in rms_norm 05 was faster.
std::string longer(const Forward& args) {
  const std::int64_t bytes = args.x.shape[1] * std::int64_t(size_of(args.x.dtype));
  return bytes > 128 * 1024 ? "" : "rows of up to 128 KiB are left to 05";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = longer);

}  // namespace
}  // namespace warpath::layer_norm
