// Multiplies by scale, not by 1 + scale: a model whose scales start at zero then starts with nothing but shifts.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

template <class T>
__global__ void scale_without_one(const T* x, PerImage<const T> scale, PerImage<const T> shift,
                                  T* y, float* means, float* rstds, float eps, std::int64_t rows,
                                  std::int64_t tokens, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t image = row / tokens;
  x += row * cols;
  y += row * cols;
  float mean = 0;
  for (std::int64_t c = 0; c < cols; ++c) mean += to_float(x[c]);
  mean /= float(cols);
  float variance = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const float d = to_float(x[c]) - mean;
    variance += d * d;
  }
  const float rstd = rsqrtf(variance / float(cols) + eps);
  for (std::int64_t c = 0; c < cols; ++c) {
    const float w = to_float(scale.at(image, c)), b = to_float(shift.at(image, c));
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (means) means[row] = mean;
  if (rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t tokens = args.x.shape[1], rows = args.x.shape[0] * tokens;
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    scale_without_one<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        args.x.as<T>(), PerImage<const T>(args.scale), PerImage<const T>(args.shift),
        args.y.as<T>(), args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps),
        rows, tokens, args.x.shape[2]);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::adaptive_norm
