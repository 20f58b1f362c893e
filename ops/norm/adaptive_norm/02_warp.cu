// One warp, one token: coalesced loads, and shuffles for the sums.
//
// What changed: 32 lanes read 32 neighbours and add up among themselves in registers; eight tokens share a block. The
// division that finds the image is done once per warp and not once per element.
// Limit: one element per load, and x is read three times (the second and third time mostly from cache).
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

constexpr int warps = 8;  // and tokens per block

template <class T>
__global__ void __launch_bounds__(32 * warps)
    warp_per_token(const T* x, PerImage<const T> scale, PerImage<const T> shift, T* y, float* means,
                   float* rstds, float eps, std::int64_t rows, std::int64_t tokens,
                   std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t image = row / tokens;
  x += row * cols;
  y += row * cols;
  float sum = 0;
  for (std::int64_t c = lane; c < cols; c += 32) sum += to_float(x[c]);
  const float mean = warp_reduce(sum, Sum{}) / float(cols);
  float squares = 0;
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float d = to_float(x[c]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float w = 1.0f + to_float(scale.at(image, c)), b = to_float(shift.at(image, c));
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (lane == 0 && means) means[row] = mean;
  if (lane == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t tokens = args.x.shape[1], rows = args.x.shape[0] * tokens;
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_per_token<T><<<grid_x(rows, warps), 32 * warps, 0, stream>>>(
        args.x.as<T>(), PerImage<const T>(args.scale), PerImage<const T>(args.shift),
        args.y.as<T>(), args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps),
        rows, tokens, args.x.shape[2]);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::adaptive_norm
