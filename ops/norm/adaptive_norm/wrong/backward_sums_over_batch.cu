// dscale and dshift summed over the tokens of all images, as the weight and the bias of layer_norm are: right for one image.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

template <class T>
__global__ void one_token(const T* x, const T* dy, const float* means, const float* rstds,
                          PerImage<const T> scale, const T* ds, T* dx, std::int64_t rows,
                          std::int64_t tokens, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t first = row * cols, image = row / tokens;
  const float mean = means[row], rstd = rstds[row];
  float sum = 0, dot = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (1.0f + to_float(scale.at(image, c)));
    sum += g;
    dot += g * (to_float(x[first + c]) - mean) * rstd;
  }
  sum /= float(cols);
  dot /= float(cols);
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (1.0f + to_float(scale.at(image, c)));
    const float n = (to_float(x[first + c]) - mean) * rstd;
    const float also = ds ? to_float(ds[first + c]) : 0.0f;
    dx[first + c] = from_float<T>(rstd * (g - sum - n * dot) + also);
  }
}

template <class T>
__global__ void sums_over_batch(const T* x, const T* dy, const float* means, const float* rstds,
                                PerImage<T> dscale, PerImage<T> dshift, std::int64_t images,
                                std::int64_t tokens, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= images * cols) return;
  const std::int64_t image = i / cols, c = i % cols;
  float scale = 0, shift = 0;
  for (std::int64_t row = 0; row < images * tokens; ++row) {
    const float d = to_float(dy[row * cols + c]);
    scale += d * (to_float(x[row * cols + c]) - means[row]) * rstds[row];
    shift += d;
  }
  dscale.at(image, c) = from_float<T>(scale);
  dshift.at(image, c) = from_float<T>(shift);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], tokens = args.x.shape[1], cols = args.x.shape[2];
  if (images * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    const T *x = args.x.as<T>(), *dy = args.dy.as<T>();
    const float *mean = args.mean.as<float>(), *rstd = args.rstd.as<float>();
    one_token<T><<<grid_x(images * tokens, threads), threads, 0, stream>>>(
        x, dy, mean, rstd, PerImage<const T>(args.scale), args.ds.as<T>(), args.dx.as<T>(),
        images * tokens, tokens, cols);
    sums_over_batch<T><<<grid_x(images * cols, threads), threads, 0, stream>>>(
        x, dy, mean, rstd, PerImage<T>(args.dscale), PerImage<T>(args.dshift), images, tokens,
        cols);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::adaptive_norm
