// The elements of 64 segments come as one run; who needs which is settled in shared memory.
//
// What changed: a block has 64 segments in a row. It reads their 65 offsets at once, and what lies between the first and the
// last is one run of x, whatever the lengths are: 16 bytes per copy, as long as it goes, and no team waits for its own offset.
// From shared memory four lanes add up each segment. There a short segment costs no half-used sector, and lanes
// that are done cost no bandwidth. Longer segments than 4 Ki elements are put aside.
// Limit: the memory.
#include "core/ptx/cp_async.cuh"
#include "ops/reduce/segment_sum/giants.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256, team = 4, block_segments = threads / team;
constexpr int tile = 6144;  // elements: 64 segments of 64, and what is usual beyond
using Long = List<4096>;

// Elements [first, last) of x into shared memory, where element `origin` is the first; x + origin is at a 16-byte boundary.
template <class T>
__device__ __forceinline__ void copy_run(T* shared, const T* x, std::int64_t origin,
                                         std::int64_t first, std::int64_t last) {
  constexpr int E = lanes_of_16<T>;
#pragma unroll 2
  for (int v = threadIdx.x * E; v < tile && origin + v < last; v += threads * E) {
    const std::int64_t i = origin + v;
    if (i >= first && i + E <= last) {
      ptx::copy_async<16>(ptx::shared_address(shared + v), x + i);
    } else {
      for (int e = 0; e < E; ++e)
        if (i + e >= first && i + e < last) shared[v + e] = x[i + e];
    }
  }
  ptx::copy_async_commit();
  ptx::copy_async_wait<0>();
}

template <class T, class Op>
__global__ void __launch_bounds__(threads, 5)
    tiles(const T* x, T* y, Segments segments, Long list, Op op) {
  __shared__ alignas(16) T shared[tile];
  __shared__ std::int64_t starts[block_segments + 1];
  const std::int64_t base = std::int64_t(blockIdx.x) * block_segments;
  if (threadIdx.x <= block_segments)
    starts[threadIdx.x] = segments.start(min(base + threadIdx.x, segments.count));
  __syncthreads();
  const int own = threadIdx.x / team, lane = threadIdx.x % team;
  const std::int64_t first = starts[own], last = starts[own + 1];
  const bool giant = last - first > list.stretch;
  if (giant && lane == 0) list.put_aside(base + own, last - first);
  const bool any_giant = __syncthreads_or(giant);

  float total = Op::template identity<float>();
  const int past = reduce::Elements<T, Op>{x + starts[0], op}.past();
  for (int s = 0; s < block_segments;) {
    // Runs end at giants; without one, all segments are one run.
    int end = block_segments;
    if (any_giant) {
      const auto is_giant = [&](int k) { return starts[k + 1] - starts[k] > list.stretch; };
      while (s < block_segments && is_giant(s)) ++s;
      if (s == block_segments) break;
      for (end = s + 1; end < block_segments && !is_giant(end);) ++end;
    }
    const std::int64_t run = starts[s], run_end = starts[end];
    constexpr int E = lanes_of_16<T>;
    const int over = int((run - starts[0] + past) % E);
    for (std::int64_t origin = run - over; origin < run_end; origin += tile) {
      copy_run(shared, x, origin, max(run, origin), min(run_end, origin + tile));
      __syncthreads();
      if (own >= s && own < end) {
        const int to = int(min(last - origin, std::int64_t(tile)));
#pragma unroll 4
        for (int i = int(max(first - origin, std::int64_t(0))) + lane; i < to; i += team)
          total = op(total, to_float(shared[i]));
      }
      __syncthreads();  // before the next run is copied
    }
    s = end;
  }
  total = warp_reduce<team>(total, op);
  if (lane == 0 && !giant && base + own < segments.count)
    y[base + own] = from_float<T>(segments.finish(total, last - first));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t count = args.y.shape[0];
  if (count == 0) return;
  const Long list = Long::of(args);
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Segments segments = Segments::of(args);
    tiles<<<grid_x(count, block_segments), threads, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), segments, list, op);
    sum_giants<T>(args, segments, list, op, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = flat, .scratch = Long::scratch_bytes,
             .zeroed = Long::counter_bytes);

}  // namespace
}  // namespace warpath::segment_sum
