// One thread, one pair of one token: its angle serves every head of q and k.
//
// What changed: the angle depends on the token and the pair, not on the head. A thread computes it once
// and walks through the heads.
// Limit: pow and sincos in double are still hundreds of instructions per thread, and the heads are
// loaded one after the other, two elements at a time.
#include "ops/attention/rope/call.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void once(Data<T> data, Sizes sizes, Scaling scaling, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t token = at / sizes.units();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units());
  double s = 0, c = 1;
  if (unit < sizes.pairs) {
    const double position = double(position_of(data, sizes, token));
    sincos(position * frequency(scaling, unit, sizes.pairs), &s, &c);
  }
  for (int head = 0; head < sizes.all_heads(); ++head)
    Head<T>(data, sizes, token, head).turn(sizes, unit, float(c), sign * float(s));
}

void launch(const Forward& args, cudaStream_t stream) {
  const Call call = call_of(args);
  const Sizes& sizes = call.sizes;
  if (sizes.tokens * sizes.all_heads() * sizes.units() == 0) return;
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 128;
    once<T><<<grid_x(sizes.tokens * sizes.units(), threads), threads, 0, stream>>>(
        call.data<T>(), sizes, call.scaling, call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rope
