// The last round is cut anew, so that every SM works to the end.
//
// What changed: tiles that would leave SMs idle are laid end to end, all their steps along k, and cut
// into equal shares. Who has the end of a tile finishes it; the others hand their sums on through
// scratch memory, which the finisher adds in a fixed order: the result is the same from run to run.
// Handing on costs what some steps cost, so it is done only where it saves more. Where a few tiles are
// left after many rounds, they become more and narrower ones instead (hopper_rest.cuh).
// Limit: power. The tensor cores are busy in 97 cycles of 100, but the clock falls from 1.98 to 1.6 GHz under their load
// and that of the copies.
#include "hopper_stream.cuh"

namespace warpath::matmul {
namespace {

WARPATH_RUNG(Args, hopper::stream_launch, .supports = hopper::supports,
             .scratch = hopper::stream_scratch, .zeroed = hopper::stream_zeroed);

}  // namespace
}  // namespace warpath::matmul
