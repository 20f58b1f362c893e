// Exponentials relative to the first logit of the row: they overflow where another one is much larger.
#include "ops/softmax/cross_entropy/call.cuh"

namespace warpath::cross_entropy {
namespace {

template <class T>
__global__ void relative_to_first(const T* logits, T* dlogits, Tokens tokens) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= tokens.rows) return;
  const T* x = logits + row * tokens.words;
  Stat seen{to_float(x[0]), 0.0f};
  float sum = 0;
  for (int c = 0; c < tokens.words; ++c) seen.sum += exp_from(to_float(x[c]), seen.max);
  for (int c = 0; c < tokens.words; ++c) sum += to_float(x[c]);
  const Target target(tokens, row);
  write_token(tokens, row, target, seen, target.logit(x), sum);
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for (int c = 0; c < tokens.words && dlogits; ++c)
    dlogits[row * tokens.words + c] = slope.of(Vector<T, 1>{x[c]}, c).at[0];
}

void launch(const Gradient& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    relative_to_first<<<grid_x(tokens.rows, 64), 64, 0, stream>>>(args.logits.as<const T>(),
                                                                  args.dlogits.as<T>(), tokens);
  });
}

WARPATH_RUNG(Gradient, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
