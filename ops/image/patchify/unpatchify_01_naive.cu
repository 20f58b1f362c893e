// One thread, one element of the image.
//
// Neighbouring threads write neighbouring elements; they read as many neighbours as a patch is wide, then
// jump to the next patch.
// Limit: five divisions of 64 bits per element, some hundred instructions each, and small accesses.
#include "ops/image/patchify/naive.cuh"

namespace warpath::patchify {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  run_naive<false>(args.x, args.y, args.x, stream);
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::patchify
