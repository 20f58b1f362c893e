// d leaves by the copy engine too.
//
// What changed: the sums go to shared memory in patches of 64 x 128 bytes, and the engine writes them
// to d in full lines while the consumers are back at the next tile. A tile stays in registers, rounded,
// and leaves patch by patch, one a step of the next tile's products. Rows of d that the engine cannot
// take are still written by hand.
// Limit: the last round. When the tiles do not divide by the number of SMs, some SMs have nothing to
// do while the others work at the rest.
#include "hopper_whole.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    launch_whole<RunTile<2, T, A, B>>(args, stream);
  });
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::matmul
