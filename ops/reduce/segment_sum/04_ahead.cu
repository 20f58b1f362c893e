// A warp takes 16 segments as one piece of memory and sums them from shared memory, while the next 16 are on their way.
//
// What changed: a team of 03 waits for its offsets, then for its elements, adds, and ends: half of its life nothing is in flight. Here
// warps stay. While one sums a tile of 16 segments, the elements of its next tile are copied to shared memory (cp.async), and the
// offsets of the tile after that are loaded. Neighbouring segments are one contiguous piece, so the copies are vectors of 16 bytes
// wherever the segments begin. 18 warps per SM with 4 KB each, and twice that where a warp waits, keep 72 KB and more in flight.
// Limit: the instructions and waits of a tile's sums: 16-bit elements, half the bytes, take as long as floats. A tile longer than its buffer,
// half as long again as the mean one, is read from global memory.
#include "core/ptx/cp_async.cuh"
#include "ops/reduce/segment_sum/giants.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int each = 16;  // segments per tile
constexpr int warps = 2, in_flight = 4;

// Where the segments of a tile begin: lane l has that of segment l, lane `each` the end of the last. Past the last tile all are empty.
__device__ __forceinline__ int starts_of(const Segments& segments, std::int64_t tile) {
  const int lane = threadIdx.x % 32;
  return int(segments.start(min(tile * each + min(lane, each), segments.count)));
}

// Asks for a tile's elements, from the 16-byte boundary at or before its first on, as many as there is room for.
template <class T>
__device__ __forceinline__ void fetch(T* to, int room, const T* x, int n, int start) {
  constexpr int E = lanes_of_16<T>;
  const int from = __shfl_sync(full_mask, start, 0) / E * E;
  const int end = __shfl_sync(full_mask, start, each);
  const int vectors = min((end - from + E - 1) / E, room / E);
  const int lane = threadIdx.x % 32, whole = min(vectors, (n - from) / E);
#pragma unroll 4
  for (int v = lane; v < whole; v += 32)
    ptx::copy_async<16>(ptx::shared_address(to + v * E), x + from + v * E);
  if (whole < vectors && from + whole * E + lane < n)  // the last elements of x: less than a vector
    to[whole * E + lane] = x[from + whole * E + lane];
  ptx::copy_async_commit();
}

// Lane `lane` of a team's share of n elements, the first of which is `past` elements behind a 16-byte boundary.
template <int Team, class T, class Op>
__device__ __forceinline__ float share_of(const T* p, int past, int n, int lane, Op op) {
  constexpr int E = lanes_of_16<T>;
  const reduce::Elements<T, Op> in{p, op};
  const int head = past == 0 ? 0 : min(E - past, n), vectors = (n - head) / E;
  float total = in.identity();
  if (lane < head) total = in.join_one(total, lane);
  const int tail = head + vectors * E + lane;
  if (tail < n) total = in.join_one(total, tail);
#pragma unroll 1  // most segments need one round
  for (int v = lane; v < vectors; v += Team * in_flight) {
    Vector<T, E> at[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u)
      if (v + u * Team < vectors) at[u] = load<E>(p + head + (v + u * Team) * E);
#pragma unroll
    for (int u = 0; u < in_flight; ++u)
      if (v + u * Team < vectors) total = in.join(total, at[u], 0);
  }
  return total;
}

template <class T, class Op>
__global__ void __launch_bounds__(32 * warps)
    ahead(const T* x, T* y, Segments segments, List list, int n, int room, Op op) {
  extern __shared__ __align__(16) unsigned char storage[];
  constexpr int E = lanes_of_16<T>;
  constexpr int team = E;  // lanes per segment: fewer than E elements lie before its first boundary
  constexpr int at_once = 32 / team, rounds = each / at_once;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T* const buffers = reinterpret_cast<T*>(storage) + warp * 2 * room;
  const std::int64_t step = std::int64_t(gridDim.x) * warps;
  std::int64_t tile = std::int64_t(blockIdx.x) * warps + warp;
  int start = starts_of(segments, tile), next = starts_of(segments, tile + step), turn = 0;
  fetch(buffers, room, x, n, start);
  for (; tile * each < segments.count; tile += step, turn ^= 1) {
    fetch(buffers + (turn ^ 1) * room, room, x, n, next);
    const int after = starts_of(segments, tile + 2 * step);
    ptx::copy_async_wait<1>();
    __syncwarp();
    const int from = __shfl_sync(full_mask, start, 0) / E * E;
    const bool inside = __shfl_sync(full_mask, start, each) - from <= room;
    const T* const here = buffers + turn * room - from;
    float part[rounds], mine = 0.0f;
    const auto walk = [&](const T* p) {
#pragma unroll
      for (int r = 0; r < rounds; ++r) {
        const int k = r * at_once + lane / team;
        const int first = __shfl_sync(full_mask, start, k);
        const int length = __shfl_sync(full_mask, start, k + 1) - first;
        part[r] =
            share_of<team>(p + first, first % E, length > stretch ? 0 : length, lane % team, op);
      }
    };
    if (inside)
      walk(here);
    else
      walk(x);
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const float total = warp_reduce<team>(part[r], op);
      const float got = __shfl_sync(full_mask, total, lane % at_once * team);
      if (lane / at_once == r) mine = got;  // lane l ends with segment l
    }
    const int length = __shfl_down_sync(full_mask, start, 1) - start;
    const std::int64_t s = tile * each + lane;
    if (lane < each && s < segments.count) {
      if (length > stretch)
        list.put_aside(s, length);
      else
        y[s] = from_float<T>(segments.finish(mine, length));
    }
    __syncwarp();  // all have read the buffer
    start = next;
    next = after;
  }
  ptx::copy_async_wait<0>();
}

// Elements of a buffer: half as many again as a tile has in the mean, 1 to 24 KB.
int room_for(const Args& args) {
  const auto size = std::int64_t(size_of(args.x.dtype));
  const std::int64_t mean = ceil_div(args.x.shape[0], args.y.shape[0]) * each;
  return int(std::clamp<std::int64_t>(mean * size * 3 / 2 / 16 * 16, 1 << 10, 24 << 10) / size);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t count = args.y.shape[0];
  if (count == 0) return;
  const List list = List::of(args);
  const int room = room_for(args);
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using Op = decltype(op);
    const int bytes = allow_shared(ahead<T, Op>, 2 * warps * room * sizeof(T));
    const int fit = std::min((227 << 10) / (bytes + 1024), 16);  // blocks per SM
    const unsigned grid = std::min(grid_x(count, each * warps), unsigned(fit) * multiprocessors());
    ahead<T, Op><<<grid, 32 * warps, bytes, stream>>>(args.x.as<const T>(), args.y.as<T>(),
                                                      Segments::of(args), list,
                                                      int(args.x.shape[0]), room, op);
    launch_giants<T>(args, list, op, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  if (args.x.shape[0] > 1 << 30) return "takes at most 2^30 rows";
  if (!args.x.is_aligned(16)) return "takes tensors that start at a 16-byte boundary";
  return flat(args);
}
std::string preferred(const Args& args) {
  if (args.x.dtype == DType::f16) return "03 takes 11% less time for 64 Mi halves in 1 Mi segments";
  const std::int64_t n = args.x.shape[0], count = args.y.shape[0];
  return n >= 32 * count && n <= 256 * count ? "" : "made for segments of 32 to 256 in the mean";
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = preferred, .scratch = list_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::segment_sum
