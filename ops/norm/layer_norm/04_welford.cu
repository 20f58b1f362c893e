// Mean and variance in one pass: Welford's recurrence.
//
// What changed: a thread updates a running mean and a running sum of squared distances with every
// element, and threads join theirs at the row's end (moments.cuh). x is read twice instead of three
// times, and a row needs one reduction instead of two. A block per row again, for long rows. The
// short cut that needs no recurrence, E[x^2] - E[x]^2, is wrong/sum_of_squares.cu.
// Limit: the second read of x, one element per load, and a division per element in a chain: each
// update waits for the one before.
#include "core/host/dispatch.cuh"
#include "ops/norm/layer_norm/layer_norm.h"
#include "ops/norm/moments.cuh"

namespace warpath::layer_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    welford(const T* x, const T* weight, const T* bias, T* y, float* means, float* rstds, float eps,
            std::int64_t cols) {
  __shared__ norm::MomentSlots slots;
  const std::int64_t row = blockIdx.x;
  x += row * cols;
  y += row * cols;
  norm::Moments m = norm::no_moments();
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) m = include(m, to_float(x[c]));
  m = row_join(m, slots);
  const float rstd = rsqrtf(m.squares / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(x[c]) - m.mean) * rstd * w + b);
  }
  if (threadIdx.x == 0 && means) means[row] = m.mean;
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    welford<T><<<grid_x(rows, 1), threads, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .preferred = even_rows);

}  // namespace
}  // namespace warpath::layer_norm
