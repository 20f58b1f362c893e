// The sum lives in registers: sixteen bytes per access, every element read once, written once.
//
// What changed: x and residual are loaded as vectors, added, stored as s, and normalised from the same
// registers (forward_row.cuh). As many threads per row as it needs. Rows that one block cannot hold read
// s back.
// Limit: the memory, for rows up to 64 KiB; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/problem.cuh"
#include "ops/norm/forward_row.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    if (args.kind == Kind::layer)
      norm::launch_forward_row<true, true>(p, stream);
    else
      norm::launch_forward_row<false, true>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::add_norm
