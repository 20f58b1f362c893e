// A tile of patches through shared memory: whole cache lines are read and whole lines written.
//
// What changed: a block reads a run of the tensor of patches, puts it into shared memory as the image has it, and
// writes the rows of the image. Both sides take 16 bytes per access for patches of any width.
// Limit: the barrier between filling and emptying a tile, and small pieces. For rows of whole vectors 02 is faster.
#include "ops/image/patchify/tile.cuh"

namespace warpath::patchify {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  run_tiled<false>(args.x, args.y, stream);
}

std::string fits(const Backward& args) {
  return fits_tiled(args.x, args.y);
}

std::string preferred(const Backward& args) {
  return narrow_patches(args.x);
}

WARPATH_RUNG(Backward, launch, .supports = fits, .preferred = preferred);

}  // namespace
}  // namespace warpath::patchify
