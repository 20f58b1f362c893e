// One thread, one pair of one head, turned back: the angle by pow and sincos.
//
// The rotation's inverse is its transpose, so the gradient is the rotation by the negative angle: the
// forward kernel with another sign. Nothing of the forward pass needs to be kept.
// Limit: pow and sincos in double for two elements, again for each of a token's heads.
#include "ops/attention/rope/call.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void naive(Data<T> data, Sizes sizes, Scaling scaling, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = at / sizes.units(), token = row / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units()), head = int(row % sizes.all_heads());
  double s = 0, c = 1;
  if (unit < sizes.pairs) {
    const double position = double(position_of(data, sizes, token));
    sincos(position * frequency(scaling, unit, sizes.pairs), &s, &c);
  }
  Head<T>(data, sizes, token, head).turn(sizes, unit, float(c), sign * float(s));
}

void launch(const Backward& args, cudaStream_t stream) {
  const Call call = call_of(args);
  const Sizes& sizes = call.sizes;
  const std::int64_t units = sizes.tokens * sizes.all_heads() * sizes.units();
  if (units == 0) return;
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(units, threads), threads, 0, stream>>>(call.data<T>(), sizes, call.scaling,
                                                             call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::rope
