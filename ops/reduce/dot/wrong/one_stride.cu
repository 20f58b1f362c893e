// Both tensors are read by the strides of x: right as long as they lie in memory in the same way.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

template <class T>
__global__ void one_stride(const T* x, const T* y, T* z, std::int64_t cols, std::int64_t row_stride,
                           std::int64_t col_stride) {
  __shared__ float slots[8];
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256) {
    const std::int64_t at = blockIdx.x * row_stride + c * col_stride;
    mine += to_float(x[at]) * to_float(y[at]);
  }
  const float sum = block_reduce<256>(mine, Sum{}, slots);
  if (threadIdx.x == 0) z[blockIdx.x] = from_float<T>(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_stride<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<const T>(), args.z.as<T>(), args.x.shape[1],
        args.x.stride[0], args.x.stride[1]);
  });
}

// With gaps in x it would read past the end of y, which is another mistake.
std::string no_gaps(const Args& args) {
  const Tensor& x = args.x;
  const std::int64_t last = (x.shape[0] - 1) * x.stride[0] + (x.shape[1] - 1) * x.stride[1];
  return x.size() == 0 || last < x.size() ? "" : "takes x without gaps";
}

WARPATH_RUNG(Args, launch, .supports = no_gaps);

}  // namespace
}  // namespace warpath::dot
