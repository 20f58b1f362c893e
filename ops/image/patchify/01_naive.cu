// One thread, one element of the patches.
//
// Neighbouring threads write neighbouring elements; they read as many neighbours as a patch is wide, then
// jump to the next row of the image.
// Limit: five divisions of 64 bits per element, some hundred instructions each, and small accesses.
#include "ops/image/patchify/naive.cuh"

namespace warpath::patchify {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  run_naive<true>(args.x, args.x, args.y, stream);
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::patchify
