// The rows of s, dy and ds live in registers, a block's sums in its shared memory.
//
// What changed: 16-byte loads, each element read once. The sums for dweight and dbias stay in shared
// memory while the block walks over its rows (backward_walk.cuh). Three inputs instead of layer_norm's
// two: eight elements of each per thread. Rows over 8192 elements take two kernels, the row sums and then
// slabs of columns, and read s and dy twice.
// Limit: the memory, for rows up to 8192 elements; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/problem.cuh"
#include "ops/norm/backward_walk.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::BackwardProblem<T> p = problem_of<T>(args);
    if (args.kind == Kind::layer)
      norm::launch_backward_walk<true, true>(p, stream);
    else
      norm::launch_backward_walk<false, true>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::backward_walk_scratch<true>(args.s.shape[0], args.s.shape[1]);
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::add_norm
