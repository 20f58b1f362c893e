// One warp, one row: shuffles in place of barriers, and sixteen bytes per load (float4).
//
// What changed: one kernel again, in which 32 lanes add up among themselves in registers: no barrier at
// all. Each load brings 4 floats or 8 halves where the rows are aligned.
// Limit: x is read twice (the second time from cache when the row is short), and a long row has only 32
// threads: too few bytes in flight.
#include "core/host/dispatch.cuh"
#include "ops/norm/rms_norm/rms_norm.h"
#include "ops/norm/row.cuh"

namespace warpath::rms_norm {
namespace {

constexpr int warps = 8;  // and rows per block

template <class T, int N>
__global__ void __launch_bounds__(32 * warps)
    warp_per_row(const T* x, const T* weight, T* y, float* rstds, float eps, std::int64_t rows,
                 std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  x += row * cols;
  y += row * cols;
  float squares = 0;
  for (std::int64_t c = lane * N; c < cols; c += 32 * N) {
    float v[N];
    norm::to_floats(load<N>(x + c), v);
#pragma unroll
    for (int n = 0; n < N; ++n) squares += v[n] * v[n];
  }
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = lane * N; c < cols; c += 32 * N) {
    float v[N], w[N];
    norm::to_floats(load<N>(x + c), v);
    norm::load_floats(weight ? weight + c : nullptr, 0, 1.0f, w);
#pragma unroll
    for (int n = 0; n < N; ++n) v[n] *= rstd * w[n];
    store<N>(y + c, norm::from_floats<T>(v));
  }
  if (lane == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *x = args.x.as<T>(), *weight = args.weight.as<T>();
    T* y = args.y.as<T>();
    const auto with = [&](auto width) {
      warp_per_row<T, decltype(width)::value><<<grid_x(rows, warps), 32 * warps, 0, stream>>>(
          x, weight, y, args.rstd.as<float>(), static_cast<float>(args.eps), rows, cols);
    };
    norm::with_width<T>(cols, with, x, weight, y);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .preferred = even_rows);

}  // namespace
}  // namespace warpath::rms_norm
