// Token t goes to place t: right for a prompt, while every token after it overwrites the first.
#include "ops/attention/cache_write/call.cuh"

namespace warpath::cache_write {
namespace {

template <class T>
__global__ void starts_at_zero(Data<T> data, Sizes sizes, rope::Scaling scaling) {
  const int units = sizes.dim - sizes.pairs;  // of a head: pairs, and elements that pass unchanged
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t token = at / units / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % units), number = int(at / units % sizes.all_heads());
  Token where = data.token(sizes, token);
  if (where.position >= 0) {
    const int t = int(token % sizes.new_tokens), last = data.lengths[where.sequence] - 1;
    where.position = min(t, last);
  }
  const Head<T> head = data.head(sizes, token, data.row(where), number);
  if (!head.out) return;
  if (!head.turned) {
    for (int d = unit; d < sizes.dim; d += units) head.out[d] = head.in[d];
    return;
  }
  if (unit >= sizes.pairs) {
    head.out[unit + sizes.pairs] = head.in[unit + sizes.pairs];
    return;
  }
  double s, c;
  sincos(where.position * frequency(scaling, unit, sizes.pairs), &s, &c);
  const int i = sizes.first(unit), j = sizes.second(unit);
  const float a = to_float(head.in[i]), b = to_float(head.in[j]);
  head.out[i] = from_float<T>(a * float(c) - b * float(s));
  head.out[j] = from_float<T>(b * float(c) + a * float(s));
}

void launch(const Args& args, cudaStream_t stream) {
  const Sizes sizes = sizes_of(args);
  const std::int64_t units = sizes.tokens * sizes.all_heads() * (sizes.dim - sizes.pairs);
  if (units == 0) return;
  dispatch_float(args.k.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    starts_at_zero<T>
        <<<grid_x(units, threads), threads, 0, stream>>>(data_of<T>(args), sizes, scaling_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::cache_write
