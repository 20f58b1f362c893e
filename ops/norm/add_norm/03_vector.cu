// The sum lives in registers: sixteen bytes per access, every element read once, written once.
//
// What changed: x and residual are loaded as vectors, added, stored as s, and normalised from the same
// registers (forward_row.cuh). As many threads per row as it needs. Rows that one block cannot hold read
// s back.
// Limit: the memory, for rows up to 64 KiB; the second read beyond.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/add_norm.h"
#include "ops/norm/forward_row.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::ForwardProblem<T> p{};
    p.x = args.x.as<T>();
    p.residual = args.residual.as<T>();
    p.weight = args.weight.as<T>();
    p.bias = args.bias.as<T>();
    p.y = args.y.as<T>();
    p.sum = args.s.as<T>();
    p.means = args.mean.as<float>();
    p.rstds = args.rstd.as<float>();
    p.eps = static_cast<float>(args.eps);
    p.rows = args.x.shape[0];
    p.cols = args.x.shape[1];
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
