// As many bytes in flight as the memory needs, in either layout.
//
// What changed: to reach the copy rate an H200 needs about 64 KB in flight per SM. 02 asks for 64 bytes per warp and load: four loads
// of 64 warps are 16 KB. 03 has a barrier per channel, and a thread two loads, one after the other. Here a warp takes a
// channel and asks for up to seven vectors per lane before it adds the first: 3.5 KB per warp, 32 warps per SM, no barrier. In NHWC
// a lane of 05 asks for four vectors, and an image of 256 channels is one block, two of which are on an SM: 32 KB. Here it asks for
// eight, and long channels get 16 warps: 128 KB. Neighbouring elements go to different sums: no addition waits for the last one.
// Limit: the memory for long channels and for NHWC. In NCHW a channel of 7x7 leaves most lanes of its warp without a vector: 04 and 07.
#include "core/thread/floats.cuh"
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int row_warps = 8, row_loads = 7;  // 56x56 in bf16: 12.25 vectors per lane, in two rounds
constexpr int last_loads = 8;

// Zeros, which change no sum, where `there` is false.
template <class T>
__device__ __forceinline__ uint4 words_of(const T* p, bool there) {
  uint4 words{};
  if (there) words = __ldcs(reinterpret_cast<const uint4*>(p));
  return words;
}
// Element e to sum e % N.
template <class T, int N>
__device__ __forceinline__ void add(float (&sum)[N], const uint4& words) {
  constexpr int E = lanes_of_16<T>;
  float v[E];
  to_floats(reinterpret_cast<const Vector<T, E>&>(words), v);
#pragma unroll
  for (int e = 0; e < E; ++e) sum[e % N] += v[e];
}

// A warp per channel, which may start anywhere: elements before its first 16-byte boundary and after its last are taken one by one.
template <class T>
__global__ void __launch_bounds__(32 * row_warps, 4)
    rows(const T* x, T* y, std::int64_t count, int pixels) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t r = std::int64_t(blockIdx.x) * row_warps + threadIdx.x / 32;
  if (r >= count) return;  // a whole warp
  const T* const row = x + r * pixels;
  const int lane = threadIdx.x % 32;
  const int past = int(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % E);
  const int head = past == 0 ? 0 : min(E - past, pixels), vectors = (pixels - head) / E;
  const T* const body = row + head;
  float sum[4] = {};
  if (lane < head) sum[0] = to_float(row[lane]);
  if (const int tail = vectors * E + lane; tail < pixels - head) sum[1] = to_float(body[tail]);
#pragma unroll 1
  for (int v = lane; v - lane < vectors; v += 32 * row_loads) {
    uint4 in[row_loads];
#pragma unroll
    for (int u = 0; u < row_loads; ++u)
      in[u] = words_of(body + (v + u * 32) * E, v + u * 32 < vectors);
#pragma unroll
    for (int u = 0; u < row_loads; ++u) add<T>(sum, in[u]);
  }
  const float all = warp_reduce((sum[0] + sum[1]) + (sum[2] + sum[3]), Sum{});
  if (lane == 0) y[r] = from_float<T>(all / float(pixels));
}

// NHWC. Lane l has channels (32 * blockIdx.x + l) * N and on, of image blockIdx.y; the warps share the pixels.
template <int Warps, class T>
__global__ void __launch_bounds__(32 * Warps, 32 / Warps) channels(Images<T> in, T* y) {
  constexpr int N = lanes_of_16<T>;
  __shared__ float sums[Warps][32][N + 1];  // one more: no bank conflicts
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pixels = int(in.pixels);
  const std::int64_t channel = (std::int64_t(blockIdx.x) * 32 + lane) * N, image = blockIdx.y;
  const T* const x = in.x + image * in.batch_stride + channel;
  const bool mine = channel < in.channels;
  float sum[N] = {};
#pragma unroll 1
  for (int i = warp; i < pixels; i += Warps * last_loads) {
    uint4 v[last_loads];
#pragma unroll
    for (int u = 0; u < last_loads; ++u)
      v[u] = words_of(x + (i + u * Warps) * in.pixel_stride, mine && i + u * Warps < pixels);
#pragma unroll
    for (int u = 0; u < last_loads; ++u) add<T>(sum, v[u]);
  }
#pragma unroll
  for (int e = 0; e < N; ++e) sums[warp][lane][e] = sum[e];
  __syncthreads();
  for (int k = threadIdx.x; k < 32 * N; k += 32 * Warps) {
    const std::int64_t c = std::int64_t(blockIdx.x) * 32 * N + k;
    if (c >= in.channels) continue;
    float all = 0.0f;
#pragma unroll
    for (int w = 0; w < Warps; ++w) all += sums[w][k / N][k % N];
    y[image * in.channels + c] = from_float<T>(all / float(pixels));
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const y = args.y.as<T>();
    const Images<T> in = Images<T>::of(args);
    if (args.x.is_contiguous())
      return rows<<<grid_x(args.y.size(), row_warps), 32 * row_warps, 0, stream>>>(
          in.x, y, args.y.size(), int(in.pixels));
    const auto run = [&](auto warps) {
      constexpr int W = decltype(warps)::value;
      const dim3 grid(grid_x(in.channels, 32 * lanes_of_16<T>), unsigned(in.batch));
      channels<W><<<grid, 32 * W, 0, stream>>>(in, y);
    };
    if (in.pixels >= 16 * last_loads)
      run(std::integral_constant<int, 16>{});
    else
      run(std::integral_constant<int, 8>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (args.x.shape[2] > 1 << 30) return "takes images of at most 2^30 pixels";
  if (args.x.is_contiguous()) return "";
  const int e = 16 / int(size_of(args.x.dtype));
  if (args.x.shape[0] > 65535) return "takes at most 65535 images in NHWC";
  if (args.x.shape[1] > 1 && args.x.stride[1] != 1)
    return "takes tensors whose pixels or channels are neighbours in memory (NCHW, NHWC)";
  return args.x.shape[1] % e == 0 && args.x.stride[2] % e == 0 && args.x.stride[0] % e == 0 &&
                 args.x.is_aligned(16)
             ? ""
             : "takes channels in whole vectors of 16 bytes";
}
std::string preferred(const Forward& args) {
  if (!args.x.is_contiguous()) return "";
  const std::int64_t bytes = args.x.shape[2] * std::int64_t(size_of(args.x.dtype));
  if (bytes < 4096) return "a lane has few vectors of a channel below 4 KiB";
  return bytes < 16 << 10 && args.y.size() >= 8192
             ? ""
             : "few or very long channels: a block takes one in 03";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::global_avg_pool
