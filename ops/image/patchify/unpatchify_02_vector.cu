// Sixteen bytes per access, and divisions by multiplication.
//
// What changed: a thread moves a vector, in the order of the patches: the reads are coalesced, the writes come
// in pieces of a patch's width. The divisors are known before the launch.
// Limit: the pieces, and patches whose rows are no vectors.
#include "core/host/error.h"
#include "ops/image/patchify/vector.cuh"

namespace warpath::patchify {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  run_vectors<false>(args.x, args.y, args.x, stream);
}

std::string fits(const Backward& args) {
  return fits_vectors(args.x, args.y);
}

WARPATH_RUNG(Backward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::patchify
