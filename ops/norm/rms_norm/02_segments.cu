// A block of two dimensions: rows along y, and along x the threads that share a row; each row's sum is
// a tree over its own segment of shared memory.
//
// What changed: 64 threads read neighbouring elements of a row, so loads are coalesced, and four rows
// share a block: their trees take their steps, and their barriers, together.
// Limit: seven barriers per tree, 64 threads per row whatever its length, and x is read twice, the second
// time from cache where the rows are short.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

constexpr int threads = 64, rows_per_block = 4;

template <class T>
__global__ void __launch_bounds__(threads* rows_per_block)
    segments(const T* x, const T* weight, T* y, float* rstds, float eps, std::int64_t rows,
             std::int64_t cols) {
  __shared__ float tree[rows_per_block][threads];
  const std::int64_t row = std::int64_t(blockIdx.x) * rows_per_block + threadIdx.y;
  const std::int64_t inside = row < rows ? cols : 0;  // no early return: barriers follow
  x += row * cols;
  y += row * cols;
  float squares = 0;
  for (std::int64_t c = threadIdx.x; c < inside; c += threads)
    squares += to_float(x[c]) * to_float(x[c]);
  float* const segment = tree[threadIdx.y];
  segment[threadIdx.x] = squares;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step) segment[threadIdx.x] += segment[threadIdx.x + step];
    __syncthreads();
  }
  const float rstd = rsqrtf(segment[0] / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < inside; c += threads)
    y[c] = from_float<T>(to_float(x[c]) * rstd * (weight ? to_float(weight[c]) : 1.0f));
  if (threadIdx.x == 0 && row < rows && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    segments<T><<<grid_x(rows, rows_per_block), dim3(threads, rows_per_block), 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.y.as<T>(), args.rstd.as<float>(),
        static_cast<float>(args.eps), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rms_norm
