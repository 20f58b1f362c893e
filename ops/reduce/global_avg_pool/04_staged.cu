// Short channels: a block reads many of them as one piece of memory, and sums them from shared memory.
//
// What changed: channels of 49 pixels start anywhere, but a tile of some hundred of them is one contiguous stretch. The
// block loads it in 16-byte vectors, all of them in flight at once, and leaves it in shared memory as it is. Then eight
// lanes sum a channel and join by three shuffles.
// Limit: the memory. A channel has to fit into the tile with several others; long ones are for 03.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int threads = 256, team = 8, in_flight = 4;
constexpr int tile_bytes = threads * in_flight * 16;  // 16 KiB
constexpr int most_bytes = 4096;                      // of a channel

template <class T>
__global__ void __launch_bounds__(threads)
    staged(const T* x, T* y, std::int64_t rows, int pixels, int rows_a_block) {
  constexpr int E = lanes_of_16<T>;
  __shared__ uint4 tile[threads * in_flight + 1];
  const std::int64_t first = std::int64_t(blockIdx.x) * rows_a_block;
  const int count = int(min(std::int64_t(rows_a_block), rows - first));
  // From the boundary at or before the first element: the elements before it belong to the same tensor, or the first of
  // all is at a boundary.
  const T* const from = x + first * pixels;
  const int past = int(reinterpret_cast<std::uintptr_t>(from) / sizeof(T) % E);
  const int elements = past + count * pixels, whole = elements / E;
  const uint4* const source = reinterpret_cast<const uint4*>(from - past);
  uint4 in[in_flight];
#pragma unroll
  for (int u = 0; u < in_flight; ++u)
    if (int(threadIdx.x) + u * threads < whole) in[u] = __ldcs(source + threadIdx.x + u * threads);
#pragma unroll
  for (int u = 0; u < in_flight; ++u)
    if (int(threadIdx.x) + u * threads < whole) tile[threadIdx.x + u * threads] = in[u];
  T* const staged_rows = reinterpret_cast<T*>(tile);
  const int tail = whole * E + int(threadIdx.x);
  if (tail < elements) staged_rows[tail] = (from - past)[tail];
  __syncthreads();

  const int lane = threadIdx.x % team;
  for (int r = threadIdx.x / team; r - int(threadIdx.x) / team < count; r += threads / team) {
    const T* const row = staged_rows + past + r * pixels;
    float sum = 0.0f;
    if (r < count)
      for (int i = lane; i < pixels; i += team) sum += to_float(row[i]);
    sum = warp_reduce<team>(sum, Sum{});  // all lanes of the warp take part
    if (lane == 0 && r < count) y[first + r] = from_float<T>(sum / float(pixels));
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.size();
  const int pixels = int(args.x.shape[2]);
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int E = lanes_of_16<T>;
    // So many that tiles keep the alignment of the first, where that many fit.
    const int fit = std::max(1, (tile_bytes / int(sizeof(T)) - E) / std::max(pixels, 1));
    const int each = std::min(fit >= E ? fit / E * E : fit, 4096);
    staged<T><<<grid_x(rows, each), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows,
                                                          pixels, each);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (!args.x.is_aligned(16)) return "takes tensors that start at a 16-byte boundary";
  if (args.x.shape[2] * std::int64_t(size_of(args.x.dtype)) > most_bytes)
    return "takes channels of at most 4 KiB";
  return in_rows(args);
}
std::string preferred(const Forward& args) {
  const std::int64_t bytes = args.x.shape[2] * std::int64_t(size_of(args.x.dtype));
  return bytes % 16 != 0 || bytes < 512
             ? ""
             : "a channel that is whole vectors, and enough of them for a warp, needs no tile";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::global_avg_pool
