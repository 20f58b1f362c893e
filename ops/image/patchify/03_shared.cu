// A tile of patches through shared memory: whole cache lines are read and whole lines written.
//
// What changed: a block reads some patches of a row, or several rows of small ones, as the image has them, keeps
// them in shared memory and writes them as the tensor of patches has them, which is one run. Both sides take
// 16 bytes per access for patches of any width: what is narrower than that is put together from shared memory.
// The pitch of the tile's rows keeps neighbouring threads on different banks.
// Limit: the barrier between filling and emptying a tile, and small pieces. For rows of whole vectors 02 is faster.
#include "ops/image/patchify/tile.cuh"

namespace warpath::patchify {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  run_tiled<true>(args.x, args.y, stream);
}

std::string fits(const Forward& args) {
  return fits_tiled(args.x, args.y);
}

std::string preferred(const Forward& args) {
  return narrow_patches(args.x);
}

WARPATH_RUNG(Forward, launch, .supports = fits, .preferred = preferred);

}  // namespace
}  // namespace warpath::patchify
