// Several short rows per block: a row gets only as many threads as it has vectors for.
//
// What changed: 02 gives every row a block of 256 threads, and 1000 classes of bf16 are 125 vectors: half
// of the threads have nothing to load and the others one vector instead of four, so an SM has 16 KB in
// flight. Here 32, 64 or 128 threads share a row, four vectors each, and a block of 256 threads takes
// the rows that fit: all of an SM's threads load, and row, label, lse and weights are computed once
// per 32 elements, not once per 8.
// Limit: the memory. Longer rows fill a block, and 02 takes them.
#include "ops/softmax/cross_entropy/backward.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 256;
constexpr int items = 4;           // vectors per thread
constexpr int most_threads = 128;  // per row

template <class T, class W, int Threads>
__global__ void __launch_bounds__(threads) short_rows(const T* logits, T* dlogits, Gradients g) {
  constexpr int N = W::n;
  using Part = RowPart<T, N, items, Threads>;
  const int thread = threadIdx.x % Threads;
  const std::int64_t row = std::int64_t(blockIdx.x) * (threads / Threads) + threadIdx.x / Threads;
  if (row >= g.tokens.rows) return;
  const int words = g.tokens.words;
  const T* x = logits + row * words;
  T* dx = dlogits + row * words;
  const Cut<N, W::whole> cut(x, words);
  Part part;
  part.load(x, cut, thread);
  const Slope slope = g.slope(row);
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int v = Part::vector(i, thread);
    if (v < cut.vectors) store<N>(dx + cut.column(v), slope.of(part.at[i], cut.column(v)));
  }
  if (const int e = cut.edge(thread); e >= 0) dx[e] = slope.of(Vector<T, 1>{part.edge}, e).at[0];
}

template <class T, class W>
void launch_rows(const Backward& args, const Gradients& g, W, cudaStream_t stream) {
  const auto start = [&]<int Threads>(std::integral_constant<int, Threads>) {
    short_rows<T, W, Threads><<<grid_x(g.tokens.rows, threads / Threads), threads, 0, stream>>>(
        args.logits.as<const T>(), args.dlogits.as<T>(), g);
  };
  if (g.tokens.words <= 32 * items * W::n)
    start(std::integral_constant<int, 32>{});
  else if (g.tokens.words <= 64 * items * W::n)
    start(std::integral_constant<int, 64>{});
  else
    start(std::integral_constant<int, most_threads>{});
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_backward(args, stream, [&]<class T>(const Gradients& g, Tag<T>) {
    constexpr int N = lanes_of_16<T>;
    if (g.tokens.words % N == 0 && all_aligned(16, args.logits.data, args.dlogits.data))
      launch_rows<T>(args, g, Width<N, true>{}, stream);
    else
      launch_rows<T>(args, g, Width<N>{}, stream);
  });
}

std::string supports(const Backward& args) {
  const std::int64_t most =
      most_threads * items * (16 / static_cast<int>(size_of(args.logits.dtype)));
  if (args.logits.shape[1] > most)
    return "takes rows of at most " + std::to_string(most) + " words of this type";
  return cut_supported(args);
}

WARPATH_RUNG(Backward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
