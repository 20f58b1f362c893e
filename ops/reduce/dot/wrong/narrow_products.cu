// Each product is rounded to the type of the elements before it is added: half of the bits of a product of two halves are
// lost, one rounding per element instead of one in all.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

template <class T>
__global__ void narrow_products(const T* x, const T* y, T* z, std::int64_t cols) {
  __shared__ float slots[8];
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256) {
    const std::int64_t i = blockIdx.x * cols + c;
    mine += to_float(from_float<T>(to_float(x[i]) * to_float(y[i])));
  }
  const float sum = block_reduce<256>(mine, Sum{}, slots);
  if (threadIdx.x == 0) z[blockIdx.x] = from_float<T>(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_products<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<const T>(), args.z.as<T>(), args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows);

}  // namespace
}  // namespace warpath::dot
