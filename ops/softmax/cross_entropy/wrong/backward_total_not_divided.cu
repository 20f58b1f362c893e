// The gradient of a mean is passed on as if it were that of a sum.
#include "ops/softmax/cross_entropy/backward.cuh"

namespace warpath::cross_entropy {
namespace {

template <class T>
__global__ void total_not_divided(const T* logits, T* dlogits, Gradients g) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = i / g.tokens.words;
  if (row >= g.tokens.rows) return;
  g.tokens.counted = nullptr;
  dlogits[i] = g.slope(row).of(Vector<T, 1>{logits[i]}, int(i % g.tokens.words)).at[0];
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_backward(args, stream, [&]<class T>(const Gradients& g, Tag<T>) {
    total_not_divided<<<grid_x(args.logits.size(), 256), 256, 0, stream>>>(
        args.logits.as<const T>(), args.dlogits.as<T>(), g);
  });
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
