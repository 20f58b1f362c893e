// The first element of a pair is written before the second is computed from it: right out of place, wrong
// in place.
#include "ops/attention/rope/call.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void overwrites_its_partner(Data<T> data, Sizes sizes, Scaling scaling, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = at / sizes.units(), token = row / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units()), head = int(row % sizes.all_heads());
  double s = 0, c = 1;
  if (unit < sizes.pairs) {
    const double position = double(position_of(data, sizes, token));
    sincos(position * frequency(scaling, unit, sizes.pairs), &s, &c);
  }
  const Head<T> at_head(data, sizes, token, head);
  if (unit >= sizes.pairs) return at_head.turn(sizes, unit, 1, 0);
  const int i = sizes.first(unit), j = sizes.second(unit);
  const float cosine = float(c), sine = sign * float(s);
  at_head.out[i] = from_float<T>(to_float(at_head.in[i]) * cosine - to_float(at_head.in[j]) * sine);
  at_head.out[j] = from_float<T>(to_float(at_head.in[j]) * cosine + to_float(at_head.in[i]) * sine);
}

void launch(const Forward& args, cudaStream_t stream) {
  const Call call = call_of(args);
  const Sizes& sizes = call.sizes;
  const std::int64_t units = sizes.tokens * sizes.all_heads() * sizes.units();
  if (units == 0) return;
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    overwrites_its_partner<T><<<grid_x(units, threads), threads, 0, stream>>>(
        call.data<T>(), sizes, call.scaling, call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rope
