// The reduction and the normalisation apart: two kernels, each of the shape that suits it.
//
// What changed: a first kernel leaves the rstd of each row, a second one multiplies, with as many blocks
// as there are elements for. No thread waits for a sum any more, and a few long rows keep the whole GPU
// busy, in the second kernel at least.
// Limit: x is read from memory twice, for between the kernels all of it has passed through the caches: at
// most two thirds of the copy rate. One element per load.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

constexpr int threads = 256, columns_per_block = 4 * threads;

template <class T>
__global__ void __launch_bounds__(threads)
    reduction(const T* x, float* rstds, float eps, std::int64_t cols) {
  __shared__ float slots[threads / 32];
  x += blockIdx.x * cols;
  float squares = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads)
    squares += to_float(x[c]) * to_float(x[c]);
  squares = block_reduce<threads>(squares, Sum{}, slots);
  if (threadIdx.x == 0) rstds[blockIdx.x] = rsqrtf(squares / float(cols) + eps);
}

// Block b has part b % parts of row b / parts.
template <class T>
__global__ void __launch_bounds__(threads)
    normalisation(const T* x, const T* weight, T* y, const float* rstds, std::int64_t parts,
                  std::int64_t cols) {
  const std::int64_t row = blockIdx.x / parts, first = blockIdx.x % parts * columns_per_block;
  const float rstd = rstds[row];
  const std::int64_t end = min(cols, first + columns_per_block);
  for (std::int64_t c = first + threadIdx.x; c < end; c += threads)
    y[row * cols + c] =
        from_float<T>(to_float(x[row * cols + c]) * rstd * (weight ? to_float(weight[c]) : 1.0f));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  float* const rstds = static_cast<float*>(args.rstd.data ? args.rstd.data : args.scratch.data);
  const std::int64_t parts = ceil_div(cols, columns_per_block);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = args.x.as<T>();
    reduction<T>
        <<<grid_x(rows, 1), threads, 0, stream>>>(x, rstds, static_cast<float>(args.eps), cols);
    if (cols > 0)
      normalisation<T><<<grid_x(rows * parts, 1), threads, 0, stream>>>(
          x, args.weight.as<T>(), args.y.as<T>(), rstds, parts, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

// For rows whose rstd nobody asked for.
std::int64_t scratch_bytes(const Forward& args) {
  return args.x.shape[0] * static_cast<std::int64_t>(sizeof(float));
}

WARPATH_RUNG(Forward, launch, .preferred = even_rows, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::rms_norm
