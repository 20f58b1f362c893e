// d leaves by the copy engine too.
//
// What changed: the sums go to shared memory in patches of 64 x 128 bytes, and the engine writes them
// to d in full lines while the consumers are back at the next tile. A tile stays in registers, rounded,
// and leaves patch by patch, one a step of the next tile's products. Rows of d that the engine cannot
// take are still written by hand.
// Limit: the last round. When the tiles do not divide by the number of SMs, some SMs have nothing to
// do while the others work at the rest.
#include "hopper_pairs.cuh"

namespace warpath::matmul {
namespace {

WARPATH_RUNG(Args, hopper::launch_pairs, .supports = hopper::supports);

}  // namespace
}  // namespace warpath::matmul
