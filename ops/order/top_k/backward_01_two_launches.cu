// Zeros everywhere, then one thread per chosen element.
//
// The columns of a row differ, so no two threads write the same element.
// Limit: two launches, and each chosen element is written twice: the second time as a whole sector of which it is a part.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/order/top_k/top_k.h"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void scatter(const T* dy, const long long* indices, T* dx, std::int64_t n,
                        std::int64_t k, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i / k * cols + indices[i]] = dy[i];
}

void launch(const Backward& args, cudaStream_t stream) {
  if (args.dx.size() == 0) return;
  CUDA_CHECK(cudaMemsetAsync(args.dx.data, 0, std::size_t(args.dx.bytes()), stream));
  const std::int64_t n = args.dy.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    scatter<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.dy.as<T>(), args.indices.as<long long>(), args.dx.as<T>(), n, args.dy.shape[1],
        args.cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::top_k
