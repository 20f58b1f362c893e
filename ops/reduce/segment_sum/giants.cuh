// Giant segments: put into a list in scratch memory, cut into stretches, and shared out among the blocks of a launch of their own.
#pragma once
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "ops/reduce/segment_sum/segments.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int giant_threads = 256;
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
  // By one thread.
  __device__ __forceinline__ void put_aside(std::int64_t segment, std::int64_t length) const {
    const unsigned slots = unsigned(ceil_div(length, stretch));
    const unsigned g = atomicAdd(&counters[0], 1u);
    const unsigned slot = atomicAdd(&counters[1], slots);
    giants[g] = {segment, slot, slots, 0};
    for (unsigned k = 0; k < slots; ++k) owners[slot + k] = g;
  }
};

// A block per stretch; the last block of a segment joins its stretches in their order.
template <class T, class Op>
__global__ void __launch_bounds__(giant_threads, 4)
    giants(const T* x, T* y, Segments segments, List list, Op op) {
  __shared__ float slots[giant_threads / 32];
  __shared__ bool is_last;
  const unsigned all = list.counters[1];
  for (unsigned slot = blockIdx.x; slot < all; slot += gridDim.x) {
    const unsigned g = list.owners[slot];
    const Giant& giant = list.giants[g];
    const std::int64_t begin = segments.start(giant.segment);
    const std::int64_t end = segments.start(giant.segment + 1);
    const std::int64_t first = begin + (slot - giant.first_slot) * stretch;
    const reduce::Elements<T, Op> in{x + first, op};
    float mine = reduce::reduce_stretch<giant_threads, 4>(in, min(stretch, end - first));
    float total = block_reduce<giant_threads>(mine, op, slots);
    if (threadIdx.x == 0) list.partials[slot] = total;
    if (is_last_block(&list.giants[g].done, giant.slots, is_last)) {
      mine = Op::template identity<float>();
      for (unsigned k = threadIdx.x; k < giant.slots; k += giant_threads)
        mine = op(mine, __ldcg(&list.partials[giant.first_slot + k]));
      total = block_reduce<giant_threads>(mine, op, slots);
      if (threadIdx.x == 0) y[giant.segment] = from_float<T>(segments.finish(total, end - begin));
    }
    __syncthreads();  // `slots` and `is_last` are used again
  }
  __syncthreads();  // all have read `all`
  if (is_last_block(&list.counters[2], gridDim.x, is_last) && threadIdx.x < 3)
    atomicExch(&list.counters[threadIdx.x], 0u);  // for the next launch
}

// After the launch that filled the list.
template <class T, class Op>
void launch_giants(const Args& args, const List& list, Op op, cudaStream_t stream) {
  if (args.x.shape[0] <= stretch) return;  // then there is none
  const std::int64_t most = List::most_slots(args), fit = std::int64_t(multiprocessors()) * 8;
  giants<<<unsigned(std::min(most, fit)), giant_threads, 0, stream>>>(
      args.x.as<const T>(), args.y.as<T>(), Segments::of(args), list, op);
}

std::int64_t counter_bytes(const Args&) {
  return 16;
}
std::int64_t list_bytes(const Args& args) {
  return counter_bytes(args) + List::most_giants(args) * std::int64_t(sizeof(Giant)) +
         List::most_slots(args) * 8;
}

}  // namespace
}  // namespace warpath::segment_sum
