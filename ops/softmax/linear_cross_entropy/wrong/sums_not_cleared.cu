// dweight is added to by the first chunk too, onto whatever the scratch memory held.
#include "ops/softmax/linear_cross_entropy/wrong/naive_product.cuh"

namespace warpath::linear_cross_entropy {
namespace {

void launch(const Args& args, cudaStream_t stream) {
  launch_changed(args, stream, []<class T>(Product<T>& p) { p.add = p.to_float && p.a_k != 1; });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::linear_cross_entropy
