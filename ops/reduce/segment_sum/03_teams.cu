// Eight lanes per segment, 16 bytes per load; giant segments are put aside and shared out among all blocks.
//
// What changed: a warp has four segments at once, each with a team of eight lanes that read vectors, so four times as many
// bytes are in flight, and three shuffles do. A segment over 16 Ki elements would hold up its team: the team writes it into a
// list, cut into stretches, and the second launch gives each stretch to a block. The last block of a segment joins its
// stretches, in their order: the result does not depend on who is last, nor on the order of the list.
// Limit: the memory, and for short segments the way from the offsets to the elements: two loads, one after the other.
#include "ops/reduce/segment_sum/giants.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int team = 8, in_flight = 4, threads = 256;

template <class T, class Op>
__global__ void __launch_bounds__(threads)
    teams(const T* x, T* y, Segments segments, List list, Op op) {
  constexpr int E = lanes_of_16<T>;
  const int lane = threadIdx.x % team;
  const std::int64_t s = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / team;
  std::int64_t first = 0, last = 0;
  if (s < segments.count) first = segments.start(s), last = segments.start(s + 1);
  const bool giant = last - first > stretch;
  float total = Op::template identity<float>();
  if (giant && lane == 0) {
    list.put_aside(s, last - first);
  } else if (!giant) {
    const reduce::Elements<T, Op> in{x + first, op};
    const int n = int(last - first), past = in.past();
    const int head = past == 0 ? 0 : min(E - past, n), vectors = (n - head) / E;
    if (lane < head) total = in.join_one(total, lane);
    for (int v = lane; v < vectors; v += team * in_flight) {
      Vector<T, E> at[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u)
        if (v + u * team < vectors) at[u] = in.load(head + (v + u * team) * E);
#pragma unroll
      for (int u = 0; u < in_flight; ++u)
        if (v + u * team < vectors) total = in.join(total, at[u], 0);
    }
    const int tail = head + vectors * E + lane;
    if (tail < n) total = in.join_one(total, tail);
  }
  total = warp_reduce<team>(total, op);  // all lanes of the warp
  if (lane == 0 && !giant && s < segments.count)
    y[s] = from_float<T>(segments.finish(total, last - first));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t count = args.y.shape[0];
  if (count == 0) return;
  const List list = List::of(args);
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Segments segments = Segments::of(args);
    teams<<<grid_x(count, threads / team), threads, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), segments, list, op);
    launch_giants<T>(args, list, op, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = flat, .scratch = list_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::segment_sum
