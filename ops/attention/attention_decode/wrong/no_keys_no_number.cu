// The output is divided by the sum without a look: a token that sees no key gets 0 / 0.
#include "core/warp/reduce.cuh"
#include "ops/attention/attention_decode/problem.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int threads = 128, items = most_dim / 32;

template <class T>
__global__ void no_keys_no_number(Problem<T> p, std::int64_t queries) {
  const std::int64_t query = std::int64_t(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
  if (query >= queries) return;
  const int row = int(query % p.rows), kv = int(query / p.rows % p.kv_heads);
  const int sequence = int(query / p.rows / p.kv_heads), lane = threadIdx.x % 32;
  const T* from = p.query(sequence, kv, row);
  float q[items], o[items] = {};
#pragma unroll
  for (int i = 0; i < items; ++i)
    q[i] = i * 32 + lane < p.dim ? to_float(from[(i * 32 + lane) * p.q_element]) : 0.0f;

  Stat s = {-INFINITY, 0};
  const attention::Keys keys = p.visible(sequence).of(p.token_of(row));
  for (int j = keys.first; j < keys.last; ++j) {
    const attention::Slot slot = p.pages.find(sequence, j);
    const T *k = p.k.at(slot, kv), *v = p.v.at(slot, kv);
    float dot = 0;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i * 32 + lane < p.dim) dot += q[i] * to_float(k[(i * 32 + lane) * p.k.element]);
    const float score = p.score(warp_reduce(dot, Sum{}));
    const float max = fmaxf(s.max, score);
    const float before = weight(s.max, max), now = weight(score, max);
    s = {max, s.sum * before + now};
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i * 32 + lane < p.dim)
        o[i] = o[i] * before + now * to_float(v[(i * 32 + lane) * p.v.element]);
  }

  T* to = p.output(sequence, kv, row);
#pragma unroll
  for (int i = 0; i < items; ++i)
    if (i * 32 + lane < p.dim) to[i * 32 + lane] = from_float<T>(o[i] / s.sum);
  if (lane == 0) p.put_lse(sequence, kv, row, s);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    const std::int64_t queries = batch_of(args) * p.kv_heads * p.rows;
    no_keys_no_number<T><<<grid_x(queries, threads / 32), threads, 0, stream>>>(p, queries);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = short_heads);

}  // namespace
}  // namespace warpath::attention_decode
