// The products by TMA and wgmma: one warp group loads, two multiply.
//
// What changed: TMA brings both operands into shared memory as the tensor cores read them, K-major or MN-major: all
// three forms again without a transpose, and no operand passes through registers. The kernel is in hopper_product.cuh, its
// pieces are those of matmul's rungs (core/hopper).
// Limit: at the end of every product the last wave of tiles leaves SMs idle, three times per chunk,
// and dweight is read and written in float once per chunk.
#include "ops/softmax/linear_cross_entropy/hopper_product.cuh"

namespace warpath::linear_cross_entropy {
namespace {

void launch(const Args& args, cudaStream_t stream) {
  dispatch<__half, __nv_bfloat16>(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_chunks<T, true>(args, stream,
                           [&](const Product<T>& p) { multiply_by_hopper(p, stream); });
  });
}

std::string preferred(const Args& args) {
  return args.width() > 1024 ? "" : "short sums along the width: 02 is 9% faster at 768";
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores_need, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::linear_cross_entropy
