// Eight lanes per segment, 16 bytes per load; giant segments are put aside and shared out among all blocks.
//
// What changed: a warp has four segments at once, each with a team of eight lanes that read vectors, so four times as many
// bytes are in flight, and three shuffles do. A segment over 16 Ki elements would hold up its team: the team writes it into a
// list, cut into stretches, and the second launch gives each stretch to a block. The last block of a segment joins its
// stretches, in their order: the result does not depend on who is last, nor on the order of the list.
// Limit: the memory, and for short segments the way from the offsets to the elements: two loads, one after the other.
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "ops/reduce/segment_sum/segments.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int team = 8, in_flight = 4, threads = 256;
constexpr std::int64_t stretch = 16384;  // elements; longer segments are put aside

struct alignas(16) Giant {
  std::int64_t segment;
  unsigned first_slot, slots;
  unsigned done;  // slots whose partial result is there
};

// In scratch memory; the counters come first and are zero between launches.
struct List {
  unsigned* counters;  // giants, slots, blocks that are done
  Giant* giants;
  unsigned* owners;  // the giant of each slot
  float* partials;   // of each slot

  static std::int64_t most_giants(const Args& args) {
    return ceil_div(args.x.shape[0] / stretch + 1, 4) * 4;
  }
  static std::int64_t most_slots(const Args& args) { return 2 * most_giants(args); }
  static List of(const Args& args) {
    List list;
    list.counters = static_cast<unsigned*>(args.scratch.data);
    list.giants = reinterpret_cast<Giant*>(list.counters + 4);
    list.owners = reinterpret_cast<unsigned*>(list.giants + most_giants(args));
    list.partials = reinterpret_cast<float*>(list.owners + most_slots(args));
    return list;
  }
};

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
    const unsigned slots = unsigned(ceil_div(last - first, stretch));
    const unsigned g = atomicAdd(&list.counters[0], 1u);
    const unsigned slot = atomicAdd(&list.counters[1], slots);
    list.giants[g] = {s, slot, slots, 0};
    for (unsigned k = 0; k < slots; ++k) list.owners[slot + k] = g;
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

template <class T, class Op>
__global__ void __launch_bounds__(threads, 4)
    giants(const T* x, T* y, Segments segments, List list, Op op) {
  __shared__ float slots[threads / 32];
  __shared__ bool is_last;
  const unsigned all = list.counters[1];
  for (unsigned slot = blockIdx.x; slot < all; slot += gridDim.x) {
    const unsigned g = list.owners[slot];
    const Giant& giant = list.giants[g];
    const std::int64_t begin = segments.start(giant.segment);
    const std::int64_t end = segments.start(giant.segment + 1);
    const std::int64_t first = begin + (slot - giant.first_slot) * stretch;
    const reduce::Elements<T, Op> in{x + first, op};
    float mine = reduce::reduce_stretch<threads, 4>(in, min(stretch, end - first));
    float total = block_reduce<threads>(mine, op, slots);
    if (threadIdx.x == 0) list.partials[slot] = total;
    if (is_last_block(&list.giants[g].done, giant.slots, is_last)) {
      mine = Op::template identity<float>();
      for (unsigned k = threadIdx.x; k < giant.slots; k += threads)
        mine = op(mine, __ldcg(&list.partials[giant.first_slot + k]));
      total = block_reduce<threads>(mine, op, slots);
      if (threadIdx.x == 0) y[giant.segment] = from_float<T>(segments.finish(total, end - begin));
    }
    __syncthreads();  // `slots` and `is_last` are used again
  }
  __syncthreads();  // all have read `all`
  if (is_last_block(&list.counters[2], gridDim.x, is_last) && threadIdx.x < 3)
    atomicExch(&list.counters[threadIdx.x], 0u);  // for the next launch
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.shape[0], count = args.y.shape[0];
  if (count == 0) return;
  const List list = List::of(args);
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Segments segments = Segments::of(args);
    teams<<<grid_x(count, threads / team), threads, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), segments, list, op);
    if (n <= stretch) return;  // then there is none
    const std::int64_t most = List::most_slots(args), fit = std::int64_t(multiprocessors()) * 8;
    giants<<<unsigned(std::min(most, fit)), threads, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), segments, list, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args&) {
  return 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + List::most_giants(args) * std::int64_t(sizeof(Giant)) +
         List::most_slots(args) * 8;
}

WARPATH_RUNG(Args, launch, .supports = flat, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::segment_sum
