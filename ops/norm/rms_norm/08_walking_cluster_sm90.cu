// Longer rows, by a walk like that of 07: a cluster of blocks shares each row.
//
// What changed: a row of 128 KiB takes all registers of an SM in 05, so that nothing is loaded while it is summed
// and written, and in 06 every block starts with an empty stage. Here 2 to 16 blocks share a row, up to 64 KiB
// each, and walk over the rows together: the next two rows are on their way while one is summed and
// written. A block has the same columns in each, so its weights stay in registers instead of being read for
// every row. The blocks exchange their sums of squares through each other's shared memory
// (forward_unaligned.cuh).
// Limit: the memory. Rows of one block are left to 07 and 05.
#include "core/host/dispatch.cuh"
#include "ops/norm/forward_unaligned.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::ForwardProblem<T> p{};
    p.x = args.x.as<T>();
    p.weight = args.weight.as<T>();
    p.y = args.y.as<T>();
    p.rstds = args.rstd.as<float>();
    p.eps = static_cast<float>(args.eps);
    p.rows = args.x.shape[0];
    p.cols = args.x.shape[1];
    norm::launch_forward_parts<false, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (args.x.shape[1] * std::int64_t(size_of(args.x.dtype)) <= 64 * 1024)
    return "takes rows over 64 KiB";
  return norm::forward_parts_take<false, false>(args.x.dtype, args.x.shape[0], args.x.shape[1],
                                                args.x.as<char>(), args.y.as<char>());
}

std::string untimed(const Forward&) {
  return "no GPU has timed it yet; 05 and 06 are chosen until one has";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = untimed);

}  // namespace
}  // namespace warpath::rms_norm
