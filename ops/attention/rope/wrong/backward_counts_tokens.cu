// The gradient counts the tokens where positions were given: right in training, whose texts begin at
// position 0, and not for packed or continued ones.
#include "ops/attention/rope/call.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void backward_counts_tokens(Data<T> data, Sizes sizes, Scaling scaling, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = at / sizes.units(), token = row / sizes.all_heads();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units()), head = int(row % sizes.all_heads());
  double s = 0, c = 1;
  if (unit < sizes.pairs) {
    const double position = double(token % sizes.sequence);
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
    backward_counts_tokens<T><<<grid_x(units, threads), threads, 0, stream>>>(
        call.data<T>(), sizes, call.scaling, call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::rope
