// One column: a warp walks along its rows and along the offsets at the same time. One search per 32 vectors of a lane.
//
// What changed: 02 searches 20 steps for every row. Here a warp has a contiguous run of rows and searches the segment of the first
// one, all lanes together: 32 probes per step, so four steps for a million segments. From there on the offsets only ascend: 32 of them
// wait in the lanes with the gradient of their segment. The warp fills 32 vectors with the current gradient, and each segment that begins
// among them overwrites what comes after its first row. Stores are 16 bytes.
// Limit: the instructions, some 20 per segment: 16-bit elements, half the bytes, are hardly faster than floats.
#include "core/thread/vector.cuh"
#include "core/warp/reduce.cuh"
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256, steps = 32;  // vectors per lane

// The last of all offsets, the end of the last segment among them, that is at or below `row`; -1: none. By all lanes.
__device__ __forceinline__ std::int64_t last_below(const Offsets& offsets, std::int64_t row) {
  const int lane = threadIdx.x % 32;
  std::int64_t below = -1, above = offsets.segments + 1;
  while (above - below > 1) {
    const std::int64_t step = (above - below + 32) / 33, probe = below + (lane + 1) * step;
    const unsigned yes = __ballot_sync(full_mask, probe < above && offsets.start(probe) <= row);
    below += __popc(yes) * step;
    above = min(above, below + step);
  }
  return below;
}

// 32 segments, one per lane: first row, counted from the warp's first, and gradient. Rows behind the last segment are one more.
template <bool Mean, class T>
struct Window {
  const T* dy;
  Offsets offsets;
  std::int64_t first;    // row of the warp
  std::int64_t segment;  // of lane 0
  int start;
  float value;
  unsigned live;  // lanes whose segment has rows and is yet to come

  __device__ __forceinline__ float gradient(std::int64_t s) const {
    if (s < 0 || s >= offsets.segments) return 0.0f;
    const float all = to_float(dy[s]);
    return Mean ? all / float(offsets.length(s)) : all;
  }
  __device__ __forceinline__ void load(std::int64_t from) {
    segment = from;
    const std::int64_t s = from + threadIdx.x % 32;
    const bool there = s <= offsets.segments;
    const std::int64_t begin = there ? offsets.start(s) : 0;
    const bool rows = there && (s == offsets.segments || offsets.start(s + 1) > begin);
    start = int(min(begin - first, std::int64_t(1) << 30));
    value = rows ? gradient(s) : 0.0f;
    live = __ballot_sync(full_mask, rows);
  }
  // False: there are no more.
  __device__ __forceinline__ bool next() {
    while (live == 0) {
      if (segment + 32 > offsets.segments) return false;
      load(segment + 32);
      // 32 empty segments at the same row, and who knows how many more: the last one there has rows.
      if (live == 0) load(last_below(offsets, first + __shfl_sync(full_mask, start, 31)));
    }
    return true;
  }
};

template <bool Mean, class T>
__global__ void __launch_bounds__(threads, 6)
    runs(const T* dy, T* dx, Offsets offsets, std::int64_t rows) {
  constexpr int E = lanes_of_16<T>, width = 32 * E;
  const int lane = threadIdx.x % 32;
  const std::int64_t warp = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / 32;
  const std::int64_t first = warp * steps * width;
  if (first >= rows) return;  // a whole warp
  Window<Mean, T> window{dy, offsets, first, 0, 0, 0.0f, 0u};
  const std::int64_t found = last_below(offsets, first);
  float current = window.gradient(found);
  window.load(found + 1);
  const int count = int(min(rows - first, std::int64_t(steps) * width));
  for (int at = 0; at < count; at += width) {
    const int mine = at + lane * E;
    float out[E];
#pragma unroll
    for (int e = 0; e < E; ++e) out[e] = current;
    while (window.next()) {
      const int k = __ffs(int(window.live)) - 1;
      const int start = __shfl_sync(full_mask, window.start, k);
      if (start >= at + width) break;
      current = __shfl_sync(full_mask, window.value, k);
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (mine + e >= start) out[e] = current;
      window.live &= window.live - 1;
    }
    Vector<T, E> v;
#pragma unroll
    for (int e = 0; e < E; ++e) v.at[e] = from_float<T>(out[e]);
    if (mine + E <= count) {
      store<E>(dx + first + mine, v);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (mine + e < count) dx[first + mine + e] = v.at[e];
    }
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dx.shape[0];
  if (rows == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t per_block = std::int64_t(threads) * steps * lanes_of_16<T>;
    const auto run = [&](auto mean) {
      runs<decltype(mean)::value><<<grid_x(rows, per_block), threads, 0, stream>>>(
          args.dy.as<const T>(), args.dx.as<T>(), Offsets::of(args), rows);
    };
    if (args.kind == Kind::mean)
      run(std::true_type{});
    else
      run(std::false_type{});
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  if (args.kind == Kind::max) return "takes sums and means";
  if (args.dx.shape[1] != 1) return "takes one column";
  return args.dx.is_aligned(16) ? "" : "writes to tensors that start at a 16-byte boundary";
}
std::string preferred(const Backward& args) {
  return args.dx.shape[0] >= 8 * args.dy.shape[0]
             ? ""
             : "of segments of less than 8 rows, a search per row takes fewer instructions";
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::segment_sum
