// Maximum and sum in one pass, sixteen bytes per load, for rows that start anywhere.
//
// What changed: the sum is kept relative to the largest logit so far and scaled down when a larger
// one comes (softmax_stat.cuh), once per vector of 8 logits of 16 bits. So the logits are read twice instead
// of three times. Rows of 50257 words start at every even address: each is cut at the 16-byte
// boundaries (cut.cuh), and only its first and last few logits are moved one by one. The gradient
// is stored as it was loaded, which needs both tensors to be cut alike; otherwise single elements.
// Limit: the second read. All rows in flight together are larger than the L2 cache.
#include "ops/softmax/cross_entropy/call.cuh"
#include "ops/softmax/cut.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 512;

template <class T, int N>
__global__ void __launch_bounds__(threads) online(const T* logits, T* dlogits, Tokens tokens) {
  __shared__ Stat slots[threads / 32];
  __shared__ float sums[threads / 32];
  const std::int64_t row = blockIdx.x;
  const T* x = logits + row * tokens.words;
  const Target target(tokens, row);
  const float logit = target.logit(x);

  // f(vector, its first column) for all elements of this thread, four loads in flight.
  const Cut<N> cut(x, tokens.words);
  const auto for_each = [&](auto f) {
    for (int first = threadIdx.x; first < cut.vectors; first += 4 * threads) {
      Vector<T, N> v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int at = first + i * threads;
        v[i] = load_kept<N>(x + cut.column(at), at < cut.vectors);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (first + i * threads < cut.vectors) f(v[i], cut.column(first + i * threads));
    }
    if (const int e = cut.edge(threadIdx.x); e >= 0) f(Vector<T, 1>{x[e]}, e);
  };
  Stat seen = nothing();
  float sum = 0;
  for_each([&](const auto& v, int) {
    seen = include(seen, v);
    if (tokens.smoothing != 0) sum += sum_of(v);
  });
  seen = block_join<threads>(seen, slots);
  if (tokens.smoothing != 0) sum = block_reduce<threads>(sum, Sum{}, sums);
  if (threadIdx.x == 0) write_token(tokens, row, target, seen, logit, sum);
  if (!dlogits) return;
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for_each([&]<int M>(const Vector<T, M>& v, int c) {
    store<M>(dlogits + row * tokens.words + c, slope.of(v, c));
  });
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    const T* logits = args.logits.template as<const T>();
    T* dlogits = dlogits_of<T>(args);
    const auto by_width = [&]<class W>(W) {
      online<T, W::n><<<grid_x(tokens.rows, 1), threads, 0, stream>>>(logits, dlogits, tokens);
    };
    with_cut<T>(by_width, logits, dlogits ? dlogits : logits);
  });
}

WARPATH_RUNG(Forward, launch<Forward>, .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
