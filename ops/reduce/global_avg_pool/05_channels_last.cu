// NHWC: a lane takes 16 bytes of channels and walks over the pixels.
//
// What changed: where the channels of a pixel are neighbours, a lane has four or eight channels of its own, and no lane has
// anything to add to another's. The eight warps of a block share the pixels and meet once in shared memory. Four loads are
// in flight per lane.
// Limit: the memory. Only for tensors with neighbouring channels; few channels leave lanes idle.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int warps = 8, in_flight = 4;

// Lane l has channels (32 * blockIdx.x + l) * N and on, of image blockIdx.y.
template <int N, class T>
__global__ void __launch_bounds__(32 * warps) channels_last(Images<T> in, T* y) {
  __shared__ float sums[warps][32][N + 1];  // one more: no bank conflicts
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t channel = (std::int64_t(blockIdx.x) * 32 + lane) * N, image = blockIdx.y;
  const T* const x = in.x + image * in.batch_stride + channel;
  float sum[N] = {};
  const auto add = [&](const Vector<T, N>& v) {
#pragma unroll
    for (int e = 0; e < N; ++e) sum[e] += to_float(v.at[e]);
  };
  if (channel < in.channels) {
    std::int64_t i = warp;
    for (; i + (in_flight - 1) * warps < in.pixels; i += in_flight * warps) {
      Vector<T, N> v[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u)
        v[u] = load_once<N>(x + (i + u * warps) * in.pixel_stride);
#pragma unroll
      for (int u = 0; u < in_flight; ++u) add(v[u]);
    }
#pragma unroll 4
    for (; i < in.pixels; i += warps) add(load_once<N>(x + i * in.pixel_stride));
  }
#pragma unroll
  for (int e = 0; e < N; ++e) sums[warp][lane][e] = sum[e];
  __syncthreads();
  for (int k = threadIdx.x; k < 32 * N; k += 32 * warps) {
    const std::int64_t c = std::int64_t(blockIdx.x) * 32 * N + k;
    if (c >= in.channels) continue;
    float all = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; ++w) all += sums[w][k / N][k % N];
    y[image * in.channels + c] = from_float<T>(all / float(in.pixels));
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int E = lanes_of_16<T>;
    const Images<T> in = Images<T>::of(args);
    const auto run = [&](auto n) {
      constexpr int N = decltype(n)::value;
      const dim3 grid(grid_x(in.channels, 32 * N), unsigned(in.batch));
      channels_last<N, T><<<grid, 32 * warps, 0, stream>>>(in, args.y.as<T>());
    };
    if (in.channels % E == 0 && in.pixel_stride % E == 0 && in.batch_stride % E == 0 &&
        all_aligned(16, in.x))
      run(std::integral_constant<int, E>{});
    else
      run(std::integral_constant<int, 1>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (args.x.shape[0] > 65535) return "takes at most 65535 images";
  return args.x.shape[1] <= 1 || args.x.stride[1] == 1
             ? ""
             : "takes tensors whose channels are neighbours in memory (NHWC)";
}
std::string preferred(const Forward& args) {
  return args.x.shape[1] > 1 && (args.x.shape[2] <= 1 || args.x.stride[2] > 1)
             ? ""
             : "one channel is better read by all lanes of a warp";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::global_avg_pool
