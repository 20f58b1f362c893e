// Long channels: a block per channel, 16 bytes per load. Short ones: a warp.
//
// What changed: from 1024 elements on a channel has enough work for 256 threads with several 16-byte loads each
// (ops/reduce/stretch.cuh), and one that starts anywhere is read in vectors between its first and last boundary. Below, a
// warp does with the same loads where channels are whole vectors, and with single elements elsewhere.
// Limit: a barrier per channel, with few loads per thread. Channels of 49 pixels have fewer vectors than a warp has lanes.
#include "ops/reduce/global_avg_pool/image.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads, 4) block_a_row(const T* x, T* y, std::int64_t pixels) {
  __shared__ float slots[threads / 32];
  const reduce::Elements<T, Sum> row{x + blockIdx.x * pixels, {}};
  const float mine = reduce::reduce_stretch<threads, 4>(row, pixels);
  const float sum = block_reduce<threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(sum / float(pixels));
}

template <class T>
__global__ void __launch_bounds__(threads)
    warp_a_row(const T* x, T* y, std::int64_t rows, std::int64_t pixels, bool aligned) {
  const std::int64_t r = std::int64_t(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
  if (r >= rows) return;  // a whole warp
  const reduce::Elements<T, Sum> row{x + r * pixels, {}};
  const int lane = threadIdx.x % 32;
  const float sum = warp_reduce(reduce::reduce_share<32, 4>(row, pixels, lane, aligned), Sum{});
  if (lane == 0) y[r] = from_float<T>(sum / float(pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.size(), pixels = args.x.shape[2];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const x = args.x.as<T>();
    T* const y = args.y.as<T>();
    const bool aligned = pixels % lanes_of_16<T> == 0 && all_aligned(16, x);
    if (pixels >= 1024)
      block_a_row<<<grid_x(rows, 1), threads, 0, stream>>>(x, y, pixels);
    else
      warp_a_row<<<grid_x(rows, threads / 32), threads, 0, stream>>>(x, y, rows, pixels, aligned);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string preferred(const Forward& args) {
  const std::int64_t bytes = args.x.shape[2] * std::int64_t(size_of(args.x.dtype));
  return bytes >= 16 << 10 || args.y.size() < 8192
             ? ""
             : "many channels of less than 16 KiB: 02 is 26% faster for 256x256x56x56";
}

WARPATH_RUNG(Forward, launch, .supports = in_rows, .preferred = preferred);

}  // namespace
}  // namespace warpath::global_avg_pool
