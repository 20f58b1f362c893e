// Values are turned like keys: the loop over the heads does not tell them apart.
#include "ops/attention/cache_write/call.cuh"

namespace warpath::cache_write {
namespace {

template <class T>
__global__ void turns_values(Data<T> data, Sizes sizes, rope::Scaling scaling) {
  const int units = sizes.dim - sizes.pairs;  // of a head: pairs, and elements that pass unchanged
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t token = at / units / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % units), number = int(at / units % sizes.all_heads());
  const Token where = data.token(sizes, token);
  const Head<T> head = data.head(sizes, token, data.row(where), number);
  if (!head.out) return;
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
    turns_values<T>
        <<<grid_x(units, threads), threads, 0, stream>>>(data_of<T>(args), sizes, scaling_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::cache_write
