// Rows of up to 16384 words live in registers: read once, the gradient computed from there.
//
// What changed: a thread keeps its logits, 32 at most, from load to store, so nothing is read again.
// A row gets as many threads as it needs: a warp up to 1024 words, four warps up to 4096, sixteen
// beyond; a block takes four short rows. exp is computed twice, once for the sum and once for the
// gradient, which is cheaper than a second register per logit.
// Limit: the memory, up to 16384 words. The vocabularies of language models are longer: for those
// 03 reads twice.
#include "ops/softmax/cross_entropy/call.cuh"
#include "ops/softmax/cut.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int elements = 32;  // per thread
constexpr int longest = 512 * elements;

// Joins the values of all threads of a row. `slots` has a place for every warp of the block.
template <int Threads, class V, class Join>
__device__ __forceinline__ V join_row(V own, V* slots, Join warps) {
  own = warps(own, std::integral_constant<int, 32>{});
  if constexpr (Threads == 32) return own;
  constexpr int each = Threads / 32;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) slots[warp] = own;
  __syncthreads();
  return warps(slots[warp / each * each + threadIdx.x % each], std::integral_constant<int, each>{});
}

template <class T, int Threads, int Rows>
__global__ void __launch_bounds__(Threads* Rows)
    registers(const T* logits, T* dlogits, Tokens tokens) {
  constexpr int N = lanes_of_16<T>, items = elements / N;
  __shared__ Stat slots[Threads * Rows / 32];
  __shared__ float sums[Threads * Rows / 32];
  const int thread = threadIdx.x % Threads;
  const std::int64_t row = std::int64_t(blockIdx.x) * Rows + threadIdx.x / Threads;
  if (Threads == 32 && row >= tokens.rows) return;  // longer rows are one per block
  const T* x = logits + row * tokens.words;
  const Target target(tokens, row);
  const float logit = target.logit(x);
  const Cut<N> cut(x, tokens.words);
  using Part = RowPart<T, N, items, Threads>;
  Part part;
  part.load(x, cut, thread);

  const auto for_each = [&](auto f) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int v = Part::vector(i, thread);
      if (v < cut.vectors) f(part.at[i], cut.column(v));
    }
    if (const int e = cut.edge(thread); e >= 0) f(Vector<T, 1>{part.edge}, e);
  };
  Stat seen = nothing();
  float sum = 0;
  for_each([&](const auto& v, int) {
    seen.max = fmaxf(seen.max, largest(v));
    if (tokens.smoothing != 0) sum += sum_of(v);
  });
  for_each([&]<int M>(const Vector<T, M>& v, int) {
    float e[M];
    to_floats(v, e);
#pragma unroll
    for (int n = 0; n < M; ++n) seen.sum += exp_from(e[n], seen.max);
  });
  seen = join_row<Threads>(seen, slots, []<class W>(Stat s, W) { return warp_join<W::value>(s); });
  if (tokens.smoothing != 0)
    sum = join_row<Threads>(sum, sums,
                            []<class W>(float v, W) { return warp_reduce<W::value>(v, Sum{}); });
  if (Threads == 32) __syncwarp();  // the label's logit was read before another lane writes there
  if (thread == 0) write_token(tokens, row, target, seen, logit, sum);
  if (!dlogits) return;
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for_each([&]<int M>(const Vector<T, M>& v, int c) {
    store<M>(dlogits + row * tokens.words + c, slope.of(v, c));
  });
}

template <class T, int Threads, int Rows, class Args>
void launch_shape(const Args& args, const Tokens& tokens, cudaStream_t stream) {
  registers<T, Threads, Rows><<<grid_x(tokens.rows, Rows), Threads * Rows, 0, stream>>>(
      args.logits.template as<const T>(), dlogits_of<T>(args), tokens);
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    if (tokens.words <= 32 * elements)
      launch_shape<T, 32, 4>(args, tokens, stream);
    else if (tokens.words <= 128 * elements)
      launch_shape<T, 128, 1>(args, tokens, stream);
    else
      launch_shape<T, 512, 1>(args, tokens, stream);
  });
}

template <class Args>
std::string supports(const Args& args) {
  if (args.logits.shape[1] > longest) return "takes rows of at most 16384 words";
  return cut_supported(args);
}

WARPATH_RUNG(Forward, launch<Forward>, .supports = supports<Forward>,
             .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .supports = supports<Gradient>,
             .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
