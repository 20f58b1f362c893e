// dweight is written by every chunk, not added to: right while one chunk is enough.
#include "ops/softmax/linear_cross_entropy/wrong/naive_product.cuh"

namespace warpath::linear_cross_entropy {
namespace {

void launch(const Args& args, cudaStream_t stream) {
  launch_changed(args, stream, []<class T>(Product<T>& p) { p.add = false; });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::linear_cross_entropy
