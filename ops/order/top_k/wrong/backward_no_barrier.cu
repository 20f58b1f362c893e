// Zeros and gradients without a barrier between them: a slow warp clears what a fast one has written.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/order/top_k/top_k.h"

namespace warpath::top_k {
namespace {

constexpr int threads = 256, tile = 8192;

template <class T, int N>
__global__ void __launch_bounds__(threads)
    no_barrier(const T* dy, const long long* indices, T* dx, std::int64_t size, std::int64_t k,
               std::int64_t cols) {
  const std::int64_t first = std::int64_t(blockIdx.x) * tile;
  const std::int64_t end = first + tile < size ? first + tile : size;
  Vector<T, N> zeros;
#pragma unroll
  for (int n = 0; n < N; ++n) zeros.at[n] = from_float<T>(0.0f);
  for (std::int64_t i = first + std::int64_t(threadIdx.x) * N; i < end; i += threads * N)
    store<N>(dx + i, zeros);
  const std::int64_t rows_end = (end + cols - 1) / cols;
  for (std::int64_t i = first / cols * k + threadIdx.x; i < rows_end * k; i += threads) {
    const std::int64_t at = i / k * cols + indices[i];
    if (at >= first && at < end) dx[at] = dy[i];
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    const auto run = [&](auto kernel) {
      kernel<<<grid_x(size, tile), threads, 0, stream>>>(
          args.dy.as<T>(), args.indices.as<long long>(), args.dx.as<T>(), size, args.dy.shape[1],
          args.cols);
    };
    if (args.dx.is_aligned(16) && size % N == 0)
      run(no_barrier<T, N>);
    else
      run(no_barrier<T, 1>);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .race = true);

}  // namespace
}  // namespace warpath::top_k
