// Sixteen bytes per access; the angles of a block's tokens in shared memory, for all heads of q and k.
//
// What changed: a block takes a run of rows, a row being one head of one token. A thread loads two
// vectors of three rows, six loads of 16 bytes, before anything else. While they are in flight, the
// block computes the cosines and sines of the few tokens that its rows belong to, once each, and leaves
// them in shared memory. Rows of a length or at an address that 16 bytes do not divide take single
// elements.
// Limit: the memory.
#include "ops/attention/rope/vector.cuh"

namespace warpath::rope {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  launch_vectorised(call_of(args), stream);
}

std::string fits(const Forward& args) {
  return vector_fits(call_of(args));
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::rope
