// Short channels of an odd number of pixels: a thread per channel, from shared memory, by words.
//
// What changed: eight lanes of 04 sum a channel of 49 pixels: six or seven loads of two bytes each, with a test and an address per load,
// and three shuffles: about as many instructions as the memory's time has room for, 13 per element. Here a thread has a channel of its own and reads two
// 16-bit elements per load, four instructions each. The channels of a warp are an odd number of elements apart, so
// its lanes read from different banks in f32, and two at most meet in 16 bits. cp.async brings the tile without registers: 128 channels
// of 7x7 are 12.5 KB, and 16 blocks of an SM have all of theirs in flight.
// Limit: the memory. An even number of pixels would bring up to 32 lanes to the same bank.
#include "core/ptx/cp_async.cuh"
#include "core/thread/floats.cuh"
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int threads = 128;               // channels of a block
constexpr int most_bytes = threads * 384;  // of a tile: 48 KiB

// Four sums: no addition waits for the last one.
template <class T>
__device__ __forceinline__ float sum_of(const T* row, int pixels) {
  float sum[4] = {};
  int i = 0;
  if constexpr (sizeof(T) == 2) {
    if (ptx::shared_address(row) % 4 != 0) sum[3] = to_float(row[i++]);
#pragma unroll 4
    for (; i + 1 < pixels; i += 2) {
      const float2 two = pair_to_floats(row + i);
      sum[0] += two.x;
      sum[1] += two.y;
    }
    if (i < pixels) sum[2] = to_float(row[i]);
  } else {
#pragma unroll 4
    for (; i + 1 < pixels; i += 2) {
      sum[0] += row[i];
      sum[1] += row[i + 1];
    }
    if (i < pixels) sum[2] = row[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class T>
__global__ void __launch_bounds__(threads)
    thread_a_row(const T* x, T* y, std::int64_t rows, int pixels) {
  extern __shared__ uint4 tile[];
  constexpr int E = lanes_of_16<T>;
  const std::int64_t first = std::int64_t(blockIdx.x) * threads;
  const int count = int(min(std::int64_t(threads), rows - first)), elements = count * pixels;
  const T* const from = x + first * pixels;  // at a boundary: 128 channels are whole vectors
  T* const staged = reinterpret_cast<T*>(tile);
#pragma unroll 4
  for (int v = threadIdx.x; v < elements / E; v += threads)
    ptx::copy_async<16>(ptx::shared_address(tile + v), from + v * E);
  if (const int i = elements / E * E + int(threadIdx.x); i < elements) staged[i] = from[i];
  ptx::copy_async_commit();
  ptx::copy_async_wait<0>();
  __syncthreads();
  if (int(threadIdx.x) >= count) return;
  const float sum = sum_of(staged + threadIdx.x * pixels, pixels);
  y[first + threadIdx.x] = from_float<T>(sum / float(pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.size();
  const int pixels = int(args.x.shape[2]);
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = threads * pixels * int(sizeof(T));
    thread_a_row<T><<<grid_x(rows, threads), threads, bytes, stream>>>(
        args.x.as<T>(), args.y.as<T>(), rows, pixels);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (!args.x.is_aligned(16)) return "takes tensors that start at a 16-byte boundary";
  if (args.x.shape[2] % 2 == 0) return "takes an odd number of pixels";
  if (args.x.shape[2] * std::int64_t(size_of(args.x.dtype)) * threads > most_bytes)
    return "takes channels of at most 384 bytes";
  return in_rows(args);
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::global_avg_pool
