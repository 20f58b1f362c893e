// One thread per channel of an image.
//
// Limit: in NCHW neighbouring threads read addresses that are a channel apart, so each load fetches 32 bytes for one
// element. In NHWC they read neighbours, but one element at a time.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void naive(Images<T> in, T* y) {
  const std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= in.rows()) return;
  const T* const row = in.row(r);
  float sum = 0.0f;
  for (std::int64_t i = 0; i < in.pixels; ++i) sum += to_float(row[i * in.pixel_stride]);
  y[r] = from_float<T>(sum / float(in.pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(Images<T>::of(args), args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
