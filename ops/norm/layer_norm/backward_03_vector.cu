// The rows of x and dy live in registers, a block's sums in its shared memory.
//
// What changed: 16-byte loads, each element of x and dy read once. The sums for dweight and dbias stay
// in shared memory while the block walks over its rows (backward_walk.cuh); a thread always has the same
// columns, so it adds to places that no other thread touches. Several short rows share a block, which
// adds up their sums before it leaves them in scratch memory: fewer for the second kernel to read.
// Rows over 16384 elements (8192 where they are not aligned) would need too much of both. A first kernel
// makes their two sums, a second gives each block a slab of columns, whose sums fit registers: x and dy are
// read twice.
// Limit: the memory, for rows up to 16384 elements; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/norm/backward_walk.cuh"
#include "ops/norm/layer_norm/problem.cuh"

namespace warpath::layer_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::BackwardProblem<T> p = problem_of<T>(args);
    norm::launch_backward_walk<true, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::backward_walk_scratch<false>(args.x.shape[0], args.x.shape[1]);
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::layer_norm
