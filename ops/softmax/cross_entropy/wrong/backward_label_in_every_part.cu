// The label is compared with the column inside the block's part of the row, not inside the row.
#include "ops/softmax/cross_entropy/backward.cuh"

namespace warpath::cross_entropy {
namespace {

template <class T>
__global__ void label_in_every_part(const T* logits, T* dlogits, Gradients g) {
  const int words = g.tokens.words, parts = (words + 255) / 256;
  const std::int64_t row = blockIdx.x / parts;
  const int column = int(blockIdx.x % parts) * 256 + threadIdx.x;
  if (column >= words) return;
  const Vector<T, 1> x{logits[row * words + column]};
  dlogits[row * words + column] = g.slope(row).of(x, int(threadIdx.x)).at[0];
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_backward(args, stream, [&]<class T>(const Gradients& g, Tag<T>) {
    const std::int64_t parts = ceil_div(g.tokens.words, 256);
    label_in_every_part<<<grid_x(g.tokens.rows * parts, 1), 256, 0, stream>>>(
        args.logits.as<const T>(), args.dlogits.as<T>(), g);
  });
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
