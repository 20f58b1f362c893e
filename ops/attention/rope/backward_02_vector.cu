// Sixteen bytes per access, angles in shared memory: rung 04 of the forward pass with the sign turned.
//
// What changed: all that rungs 02 to 04 of the forward pass change, whose kernel this is.
// Limit: the memory.
#include "ops/attention/rope/vector.cuh"

namespace warpath::rope {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  launch_vectorised(call_of(args), stream);
}

std::string fits(const Backward& args) {
  return vector_fits(call_of(args));
}

WARPATH_RUNG(Backward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::rope
