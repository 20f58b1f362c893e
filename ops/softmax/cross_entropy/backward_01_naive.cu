// One thread, one element: softmax from lse, less the target.
//
// Nothing is summed over the row: lse is known, so every element stands for itself. Neighbouring
// threads touch neighbouring elements, so every access is coalesced.
// Limit: one small load in flight per thread, and a division by the row length to find the row.
#include "ops/softmax/cross_entropy/backward.cuh"

namespace warpath::cross_entropy {
namespace {

template <class T>
__global__ void naive(const T* logits, T* dlogits, Gradients g) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = i / g.tokens.words;
  if (row >= g.tokens.rows) return;
  const Slope slope = g.slope(row);
  dlogits[i] = slope.of(Vector<T, 1>{logits[i]}, int(i % g.tokens.words)).at[0];
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_backward(args, stream, [&]<class T>(const Gradients& g, Tag<T>) {
    constexpr int threads = 256;
    naive<<<grid_x(args.logits.size(), threads), threads, 0, stream>>>(args.logits.as<const T>(),
                                                                       args.dlogits.as<T>(), g);
  });
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
