// The generator has moved on since the forward pass: the mask of dropout is another one.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  Backward later = args;
  ++later.offset;
  launch_rows<RightPair>(later, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
