// The running sum is kept in the type of the elements: 3136 bf16 numbers do not add up in 8 bits of mantissa.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void narrow_sum(Images<T> in, T* y) {
  const std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= in.rows()) return;
  T sum = from_float<T>(0.0f);
  for (std::int64_t i = 0; i < in.pixels; ++i)
    sum = from_float<T>(to_float(sum) + to_float(in.row(r)[i * in.pixel_stride]));
  y[r] = from_float<T>(to_float(sum) / float(in.pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_sum<T>
        <<<grid_x(args.y.size(), 128), 128, 0, stream>>>(Images<T>::of(args), args.y.as<T>());
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
