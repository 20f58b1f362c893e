// Inside a group, too: the next tile's exponentials while the last one's values are multiplied.
//
// What changed: the scores of the next tile are issued before the product of the last weights with their values, and
// only they are waited for. The exponentials then run while that product does; its sums are rescaled when it is done.
// It costs registers: scores, the weights of the tile before, and sums are live at the same time. A soft cap and dropout
// have a kernel of their own, which leaves the plain one as it is.
// Limit: with a causal mask the tiles differ in length, and the last ones run alone; a block's first loads and last stores
// overlap nothing.
#include "ops/attention/attention/hopper_one_tile.cuh"

namespace warpath::attention {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  if (hopper::is_general(args))
    hopper::launch_general<hopper::Way<true, true, true>>(args, stream);
  else
    hopper::launch_way<hopper::Way<true, true>>(args, stream);
}

WARPATH_RUNG(Forward, launch, .supports = hopper::supports_128);

}  // namespace
}  // namespace warpath::attention
