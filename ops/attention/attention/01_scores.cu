// Three kernels, the scores in memory: as on paper.
//
// First q k^T, one thread per score. Then the softmax over each row, with scale, soft cap, mask and dropout in the same pass: one warp
// per row. Then the product with v, one thread per element of o. Between them every score goes to memory and back
// twice.
// Limit: those scores. They are queries x keys for each head, far more than q, k, v and o together, and each thread reads a whole row
// of q and k (of p and v) for one number.
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int threads = 256;

// scores[row][j] = q . k of key j of the row's sequence.
template <class T>
__global__ void __launch_bounds__(threads) qk(Problem<T> p, float* scores, std::int64_t rows) {
  const int keys = p.sequences.keys;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < rows * keys;
       i += std::int64_t(gridDim.x) * threads) {
    const Query at = query_of(p, i / keys);
    const int j = int(i % keys);
    if (j >= at.s.keys) continue;
    const T* const q = p.q.at(at.s.batch, at.s.first_query + at.query, at.head);
    const T* const k = p.k.at(at.s.batch, at.s.first_key + j, at.head / p.group);
    float sum = 0;
    for (int d = 0; d < p.dim; ++d) sum += to_float(q[d]) * to_float(k[d]);
    scores[i] = sum;
  }
}

// Scores become probabilities, 0 where the key is hidden.
template <class T>
__global__ void __launch_bounds__(threads)
    masked_softmax(Problem<T> p, float* scores, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const Query at = query_of(p, row);
  const Keys seen = p.visible(at.s).of(at.query);
  float* const s = scores + row * p.sequences.keys;
  softmax::Stat mine = softmax::nothing();
  for (int j = seen.first + lane; j < seen.last; j += 32)
    mine = softmax::include(mine, p.logit(s[j]));
  const softmax::Stat all = softmax::warp_join(mine);
  const float inverse = all.sum > 0.0f ? 1.0f / all.sum : 0.0f;
  for (int j = lane; j < at.s.keys; j += 32) {
    const bool visible = seen.first <= j && j < seen.last;
    const float x = visible ? softmax::exp_from(p.logit(s[j]), all.max) * inverse : 0.0f;
    s[j] = p.dropout.apply(x, row, j);
  }
  if (lane == 0) p.lse[row] = softmax::lse_of(all);
}

template <class T>
__global__ void __launch_bounds__(threads)
    times_v(Problem<T> p, const float* weights, std::int64_t rows) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= rows * p.value_dim) return;
  const std::int64_t row = i / p.value_dim;
  const int d = int(i % p.value_dim);
  const Query at = query_of(p, row);
  const float* const w = weights + row * p.sequences.keys;
  float sum = 0;
  for (int j = 0; j < at.s.keys; ++j)
    sum += w[j] * to_float(p.v.at(at.s.batch, at.s.first_key + j, at.head / p.group)[d]);
  p.o.at(at.s.batch, at.s.first_query + at.query, at.head)[d] = from_float<T>(sum);
}

std::int64_t score_bytes(const Forward& args) {
  return args.lse.size() * args.k.shape[1] * static_cast<std::int64_t>(sizeof(float));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.lse.size();
  if (rows == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    float* const scores = static_cast<float*>(args.scratch.data);
    qk<T><<<grid_x(rows * p.sequences.keys, threads), threads, 0, stream>>>(p, scores, rows);
    masked_softmax<T><<<grid_x(rows, threads / 32), threads, 0, stream>>>(p, scores, rows);
    times_v<T><<<grid_x(rows * p.value_dim, threads), threads, 0, stream>>>(p, scores, rows);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Forward& args) {
  if (score_bytes(args) > std::int64_t(32) << 30) return "the scores would take more than 32 GiB";
  return contiguous_dim(args);
}

WARPATH_RUNG(Forward, launch, .supports = fits, .scratch = score_bytes);

}  // namespace
}  // namespace warpath::attention
