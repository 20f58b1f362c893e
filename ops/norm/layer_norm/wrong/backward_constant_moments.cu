// The mean and rstd taken for constants: dx = dy * weight * rstd. Both depend on every element of the row.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

template <class T>
__global__ void constant_moments(const T* x, const T* dy, const float* means, const float* rstds,
                                 const T* weight, T* dx, T* dweight, T* dbias, std::int64_t rows,
                                 std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  const float w = weight ? to_float(weight[c]) : 1.0f;
  float weights = 0, biases = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float d = to_float(dy[r * cols + c]);
    dx[r * cols + c] = from_float<T>(d * w * rstds[r]);
    weights += d * (to_float(x[r * cols + c]) - means[r]) * rstds[r];
    biases += d;
  }
  if (dweight) dweight[c] = from_float<T>(weights);
  if (dbias) dbias[c] = from_float<T>(biases);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constant_moments<T><<<grid_x(cols, 64), 64, 0, stream>>>(
        args.x.as<T>(), args.dy.as<T>(), args.mean.as<float>(), args.rstd.as<float>(),
        args.weight.as<T>(), args.dx.as<T>(), args.dweight.as<T>(), args.dbias.as<T>(), rows, cols);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::layer_norm
