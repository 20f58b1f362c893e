// Zeros everywhere, then one thread per chosen element.
//
// The columns of a row differ, so no two threads write the same element.
// Limit: two launches, and each chosen element is written twice: the second time as a whole sector of which it is a part.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/order/top_k/top_k.h"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void clear(T* dx, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) dx[i] = from_float<T>(0.0f);
}

template <class T>
__global__ void scatter(const T* dy, const long long* indices, T* dx, std::int64_t n,
                        std::int64_t k, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i / k * cols + indices[i]] = dy[i];
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size(), size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    clear<<<grid_x(size, threads), threads, 0, stream>>>(args.dx.as<T>(), size);
    if (n == 0) return;
    scatter<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.dy.as<T>(), args.indices.as<long long>(), args.dx.as<T>(), n, args.dy.shape[1],
        args.cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::top_k
