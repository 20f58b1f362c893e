// Sixteen bytes per access; a block takes a stretch of one row.
//
// What changed: a block works on one row, so a thread finds it by one division, and reads label, lse
// and weights once, for all of its elements. A thread has four vectors in flight. Rows that start
// anywhere are cut at the 16-byte boundaries (cut.cuh).
// Limit: the memory.
#include "ops/softmax/cross_entropy/backward.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 256;
constexpr int items = 4;  // vectors per thread

template <class T>
__global__ void __launch_bounds__(threads) vectorised(const T* logits, T* dlogits, Gradients g) {
  constexpr int N = lanes_of_16<T>;
  using Part = RowPart<T, N, items, threads>;
  const int words = g.tokens.words, parts = (words + Part::size - 1) / Part::size;
  const std::int64_t row = blockIdx.x / parts;
  const int first = int(blockIdx.x % parts) * Part::size;
  const T* x = logits + row * words + first;
  T* dx = dlogits + row * words + first;
  const Cut<N> cut(x, Part::inside(words - first));
  Part part;
  part.load(x, cut, threadIdx.x);
  const Slope slope = g.slope(row);
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int v = Part::vector(i, threadIdx.x);
    if (v < cut.vectors) store<N>(dx + cut.column(v), slope.of(part.at[i], first + cut.column(v)));
  }
  if (const int e = cut.edge(threadIdx.x); e >= 0)
    dx[e] = slope.of(Vector<T, 1>{part.edge}, first + e).at[0];
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_backward(args, stream, [&]<class T>(const Gradients& g, Tag<T>) {
    const std::int64_t parts =
        ceil_div(g.tokens.words, RowPart<T, lanes_of_16<T>, items, threads>::size);
    vectorised<<<grid_x(g.tokens.rows * parts, 1), threads, 0, stream>>>(args.logits.as<const T>(),
                                                                         args.dlogits.as<T>(), g);
  });
}

std::string supports(const Backward& args) {
  return cut_supported(args);
}

WARPATH_RUNG(Backward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::cross_entropy
