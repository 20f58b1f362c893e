// The rows of s, dy and ds live in registers, a block's sums in its shared memory.
//
// What changed: 16-byte loads, each element read once. The sums for dweight and dbias stay in shared
// memory while the block walks over its rows (backward_walk.cuh). Three inputs instead of layer_norm's
// two: eight elements of each per thread. Rows over 8192 elements take two kernels, the row sums and then
// slabs of columns, and read s and dy twice.
// Limit: the memory, for rows up to 8192 elements; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/add_norm.h"
#include "ops/norm/backward_walk.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::BackwardProblem<T> p{};
    p.x = args.s.as<T>();
    p.dy = args.dy.as<T>();
    p.ds = args.ds.as<T>();
    p.means = args.mean.as<float>();
    p.rstds = args.rstd.as<float>();
    p.weight = args.weight.as<T>();
    p.dx = args.dx.as<T>();
    p.dweight = args.dweight.as<T>();
    p.dbias = args.dbias.as<T>();
    p.rows = args.s.shape[0];
    p.cols = args.s.shape[1];
    p.scratch = args.scratch.data;
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
