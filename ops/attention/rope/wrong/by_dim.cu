// The frequencies are spread over dim where only rotary_dim elements turn: right for models that rotate
// whole heads.
#include "ops/attention/rope/call.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void by_dim(Data<T> data, Sizes sizes, Scaling scaling, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = at / sizes.units(), token = row / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units()), head = int(row % sizes.all_heads());
  double s = 0, c = 1;
  if (unit < sizes.pairs) {
    const double position = double(position_of(data, sizes, token));
    sincos(position * frequency(scaling, unit, sizes.dim / 2), &s, &c);
  }
  Head<T>(data, sizes, token, head).turn(sizes, unit, float(c), sign * float(s));
}

void launch(const Forward& args, cudaStream_t stream) {
  const Call call = call_of(args);
  const Sizes& sizes = call.sizes;
  const std::int64_t units = sizes.tokens * sizes.all_heads() * sizes.units();
  if (units == 0) return;
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    by_dim<T><<<grid_x(units, threads), threads, 0, stream>>>(call.data<T>(), sizes, call.scaling,
                                                              call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rope
