// One thread, one pair of one head: the angle by pow and sincos.
//
// The angle is computed in double. In float the product of a position and a frequency loses what
// counts, the part of a turn beyond the last whole one: from 65536 radians on, neighbouring floats are
// 0.008 radians apart.
// Limit: pow and sincos in double, hundreds of instructions, for two elements; and the 40 heads of a
// token compute the same angles.
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

void launch(const Forward& args, cudaStream_t stream) {
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

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rope
