// The row lives in registers: sixteen bytes per load, every element read once, written once.
//
// What changed: a thread keeps its elements from load to store, so nothing is read again, and the
// mean and the variance are two exact passes over registers: no recurrence, no division per element.
// The threads of a row are as many as it needs, from one warp to 32 (forward_row.cuh). Rows that one block
// cannot hold are read twice; each pass over a part of them leaves its moments, joined as in 04.
// Limit: the memory. A row over 64 KiB takes all registers of an SM, so that nothing is loaded while it is
// normalised; one over 128 KiB is read twice.
#include "core/host/dispatch.cuh"
#include "ops/norm/forward_row.cuh"
#include "ops/norm/layer_norm/problem.cuh"

namespace warpath::layer_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    norm::launch_forward_row<true, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .preferred = even_rows);

}  // namespace
}  // namespace warpath::layer_norm
