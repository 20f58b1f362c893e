// The consumers take turns: one group's exponentials while the other's products run.
//
// What changed: a group issues its products only in its turn, and hands the turn on as soon as they are issued. So the
// groups cannot fall into step: while one waits for the tensor cores, the other computes exponentials. A named barrier
// per group is all it takes.
// Limit: within a group nothing overlaps: its exponentials wait for both of its products.
#include "ops/attention/attention/hopper_one_tile.cuh"

namespace warpath::attention {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  hopper::launch_way<hopper::Way<true, false>>(args, stream);
}

WARPATH_RUNG(Forward, launch, .supports = hopper::supports_plain);

}  // namespace
}  // namespace warpath::attention
