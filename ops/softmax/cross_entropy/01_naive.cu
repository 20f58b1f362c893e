// One thread, one row: the loops as on paper.
//
// The maximum, the sum of exponentials, then the gradient where it is wanted. The loss needs one
// logit more, that of the label.
// Limit: everything. Neighbouring threads read elements a whole row apart (no coalescing), the
// logits are read three times, and a few thousand rows are too few threads for a GPU.
#include "ops/softmax/cross_entropy/call.cuh"

namespace warpath::cross_entropy {
namespace {

template <class T>
__global__ void naive(const T* logits, T* dlogits, Tokens tokens) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= tokens.rows) return;
  const T* x = logits + row * tokens.words;
  Stat seen = nothing();
  float sum = 0;
  for (int c = 0; c < tokens.words; ++c) {
    seen.max = fmaxf(seen.max, to_float(x[c]));
    sum += to_float(x[c]);
  }
  for (int c = 0; c < tokens.words; ++c) seen.sum += exp_from(to_float(x[c]), seen.max);
  const Target target(tokens, row);
  write_token(tokens, row, target, seen, target.logit(x), sum);
  if (!dlogits) return;
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for (int c = 0; c < tokens.words; ++c)
    dlogits[row * tokens.words + c] = slope.of(Vector<T, 1>{x[c]}, c).at[0];
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    constexpr int threads = 64;
    naive<<<grid_x(tokens.rows, threads), threads, 0, stream>>>(args.logits.template as<const T>(),
                                                                dlogits_of<T>(args), tokens);
  });
}

WARPATH_RUNG(Forward, launch<Forward>, .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
