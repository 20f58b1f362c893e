// One block, one row; the maximum and the sum are trees in shared memory.
//
// What changed: 256 threads share a row, so loads and stores are coalesced, and thousands of rows
// are millions of threads.
// Limit: the logits are read three times, two bytes per load, and each tree is a chain of ten
// barriers.
#include "ops/softmax/cross_entropy/call.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 256;

template <class Op>
__device__ float tree_reduce(float v, float* tree, Op op) {
  tree[threadIdx.x] = v;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step)
      tree[threadIdx.x] = op(tree[threadIdx.x], tree[threadIdx.x + step]);
    __syncthreads();
  }
  const float result = tree[0];
  __syncthreads();  // everyone has read the result before the tree is used again
  return result;
}

template <class T>
__global__ void __launch_bounds__(threads) shared(const T* logits, T* dlogits, Tokens tokens) {
  __shared__ float tree[threads];
  const std::int64_t row = blockIdx.x;
  const T* x = logits + row * tokens.words;
  const Target target(tokens, row);
  const float logit = target.logit(x);

  Stat seen = nothing();
  float sum = 0;
  for (int c = threadIdx.x; c < tokens.words; c += threads) {
    seen.max = fmaxf(seen.max, to_float(x[c]));
    sum += to_float(x[c]);
  }
  seen.max = tree_reduce(seen.max, tree, [](float a, float b) { return fmaxf(a, b); });
  for (int c = threadIdx.x; c < tokens.words; c += threads)
    seen.sum += exp_from(to_float(x[c]), seen.max);
  seen.sum = tree_reduce(seen.sum, tree, Sum{});
  if (tokens.smoothing != 0) sum = tree_reduce(sum, tree, Sum{});
  if (threadIdx.x == 0) write_token(tokens, row, target, seen, logit, sum);
  if (!dlogits) return;
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for (int c = threadIdx.x; c < tokens.words; c += threads)
    dlogits[row * tokens.words + c] = slope.of(Vector<T, 1>{x[c]}, c).at[0];
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    shared<<<grid_x(tokens.rows, 1), threads, 0, stream>>>(args.logits.template as<const T>(),
                                                           dlogits_of<T>(args), tokens);
  });
}

WARPATH_RUNG(Forward, launch<Forward>, .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
