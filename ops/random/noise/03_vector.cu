// Sixteen bytes per store, and a kernel for each distribution.
//
// What changed: a thread stores its elements as one vector, 4 floats of one call or 8 halves of two, so
// a warp writes 512 bytes in one instruction. The distribution is a template parameter: no branch, and
// uniform numbers do not pay for the registers of normal ones. A tensor that does not start at a 16-byte
// boundary takes single stores; the numbers are the same.
// Limit: for normal numbers the arithmetic. A logarithm, a root and a sine with cosine that are right to
// the last bit take some sixty instructions per pair. The keys of the ten rounds are computed by every
// thread.
#include "ops/random/noise/vector.cuh"

namespace warpath::noise {
namespace {

void launch(const Args& args, cudaStream_t stream) {
  const auto draw = draw_of(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.y.is_aligned(16))
      run_vectorised<T, lanes_of_16<T>, 1, false>(args, draw, stream);
    else
      run_vectorised<T, 1, 1, false>(args, draw, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
