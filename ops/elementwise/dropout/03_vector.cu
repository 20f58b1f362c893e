// Sixteen bytes per access: one call of the generator per 4 floats, two per 8 halves.
//
// What changed: a thread moves its elements as one vector, so a warp asks for 512 bytes in one
// instruction. The loads are issued before the generator runs and are in flight meanwhile. Arrays that
// do not start at a 16-byte boundary take four single elements per thread, as in rung 02; the mask is
// the same.
// Limit: in f32 the memory. In 16 bits an element takes half the memory time and the same arithmetic:
// there the instructions of the generator show, among them the keys of its ten rounds, which every
// thread computes for itself.
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/vector.cuh"

namespace warpath::dropout {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  const auto mask = mask_of(args);
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (all_aligned_16(args.x, args.residual, args.y))
      run_vectorised<T, lanes_of_16<T>, 1, true>(args.x, args.residual, args.y, mask, stream);
    else
      run_vectorised<T, 1, 1, true>(args.x, args.residual, args.y, mask, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::dropout
