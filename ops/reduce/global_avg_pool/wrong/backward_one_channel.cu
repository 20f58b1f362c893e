// A vector gets the gradient of its first element's channel: right where the pixels of a channel are whole vectors, and
// 7 * 7 are not.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void backward_one_channel(const T* dy, T* dx, std::int64_t n, std::int64_t pixels) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t i = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * E;
  if (i >= n) return;
  const T value = from_float<T>(to_float(dy[i / pixels]) / float(pixels));
  for (int e = 0; e < E && i + e < n; ++e) dx[i + e] = value;
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dx.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    backward_one_channel<T><<<grid_x(n, 256 * lanes_of_16<T>), 256, 0, stream>>>(
        args.dy.as<T>(), args.dx.as<T>(), n, args.dx.shape[2]);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
