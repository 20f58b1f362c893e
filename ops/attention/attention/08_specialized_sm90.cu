// A warp group that loads, and two that multiply.
//
// What changed: a producer keeps two tiles of keys and two of values on their way and does nothing else; "full" and
// "empty" barriers are all it shares with the consumers. It gives them its registers, so that a group can have the scores
// of 128 keys, their weights and its sums at once. Two groups of consumers read the same keys: half the traffic from L2.
// The scores of the next tile are issued together with the product of the last weights and values.
// Limit: both groups tend to multiply at the same time and to compute exponentials at the same time.
#include "ops/attention/attention/hopper_one_tile.cuh"

namespace warpath::attention {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  hopper::launch_way<hopper::Way<false, false>>(args, stream);
}

WARPATH_RUNG(Forward, launch, .supports = hopper::supports_plain);

}  // namespace
}  // namespace warpath::attention
