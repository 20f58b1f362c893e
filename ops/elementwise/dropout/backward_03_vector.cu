// Sixteen bytes per access, the keys of the rounds made on the host, two vectors per thread.
//
// What changed: as rungs 03 and 04 of the forward pass, whose kernel this is, without a residual.
// Arrays that do not start at a 16-byte boundary take four single elements per thread and step.
// Limit: the memory.
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/vector.cuh"

namespace warpath::dropout {
namespace {

constexpr int steps = 2;

void launch(const Backward& args, cudaStream_t stream) {
  const auto mask = mask_of(args, PhiloxKeys::of(static_cast<std::uint64_t>(args.seed)));
  if (args.dy.size() == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (all_aligned_16(args.dy, {}, args.dx))
      run_vectorised<T, lanes_of_16<T>, steps, false>(args.dy, {}, args.dx, mask, stream);
    else
      run_vectorised<T, 1, steps, false>(args.dy, {}, args.dx, mask, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::dropout
