// The words are cut into slices, not the rows into chunks: dweight is written once and never added up in memory.
//
// What changed: 03 adds every chunk's dweight to sums in float, 8 bytes moved per weight and chunk, and these sums are most of its scratch memory. A slice
// of words has all rows, so its dweight is complete when its product ends. But the gradient of a slice needs the sum of
// exponentials over all words: a first pass over the slices makes the losses, a second one the gradients, last slice first, from logits that it
// makes again. So there are nearly four products for three, and scratch memory for a slice and for dhidden in float.
// Limit: the fourth product, and the logits' way through memory.
#include "ops/softmax/linear_cross_entropy/hopper_product.cuh"
#include "ops/softmax/linear_cross_entropy/slices.cuh"

namespace warpath::linear_cross_entropy {
namespace {

// A fifth of what the caller holds.
SlicePlan plan_of(const Args& args) {
  const std::int64_t tiles = ceil_div(std::max<std::int64_t>(args.rows(), 1), 128) *
                             std::max<std::int64_t>(ceil_div(args.width(), 256), 1);
  return {args, 0.2, static_cast<int>(std::clamp<std::int64_t>(128 / tiles, 1, 4))};
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch<__half, __nv_bfloat16>(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_slices<T>(args, plan_of(args), stream,
                     [&](const Product<T>& p) { multiply_by_hopper(p, stream); });
  });
}

std::int64_t scratch_of_slices(const Args& args) {
  return plan_of(args).bytes;
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores_need, .scratch = scratch_of_slices);

}  // namespace
}  // namespace warpath::linear_cross_entropy
