// The scale is applied to the query and to the score: 1 / dim where 1 / sqrt(dim) is meant. The softmax of it is too flat, and
// nothing looks broken.
#include "ops/attention/qk/problem.cuh"

namespace warpath::qk {
namespace {

template <class T>
__global__ void scaled_twice(Problem<T> p, std::int64_t scores) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= scores) return;
  const int j = int(at % p.keys), i = int(at / p.keys % p.queries);
  const std::int64_t row = at / p.keys / p.queries, batch = row / p.heads;
  const int head = int(row % p.heads);
  const T *q = p.query(batch, head, i), *k = p.key(batch, head, j);
  float dot = 0;
  for (int d = 0; d < p.dim; ++d) dot += to_float(q[d]) * to_float(k[d]);
  p.put(batch, head, i, j, dot * p.scale);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t scores = args.scores.size();
  if (scores == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    scaled_twice<T><<<grid_x(scores, threads), threads, 0, stream>>>(problem_of<T>(args), scores);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::qk
