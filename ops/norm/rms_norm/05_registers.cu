// The row lives in registers: every element read once, written once.
//
// What changed: a thread keeps its elements from load to store, so nothing is read again, and a row gets
// as many threads as it needs, from one warp to 32 (forward_row.cuh): all loads of a row are in flight
// before the first is used. Rows that one block cannot hold are read twice.
// Limit: the memory. A row over 64 KiB takes all registers of an SM, so that nothing is loaded while it is
// normalised; one over 128 KiB is read twice.
#include "core/host/dispatch.cuh"
#include "ops/norm/forward_row.cuh"
#include "ops/norm/rms_norm/problem.cuh"

namespace warpath::rms_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    norm::launch_forward_row<false, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .preferred = even_rows);

}  // namespace
}  // namespace warpath::rms_norm
