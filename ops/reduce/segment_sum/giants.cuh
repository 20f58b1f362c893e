// Segments so long that they would hold up a team: put aside in a list by a first launch, shared out among all blocks by a
// second one.
#pragma once
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "ops/reduce/segment_sum/segments.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int giant_threads = 256;

struct alignas(16) Giant {
  std::int64_t segment;
  unsigned first_slot, slots;
  unsigned done;  // slots whose partial result is there
};

// Of segments over Stretch elements, cut into stretches. In scratch memory; the counters come first and are zero between
// launches.
template <int Stretch>
struct List {
  static constexpr std::int64_t stretch = Stretch;
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
  static std::int64_t counter_bytes(const Args&) { return 16; }
  static std::int64_t scratch_bytes(const Args& args) {
    return counter_bytes(args) + most_giants(args) * std::int64_t(sizeof(Giant)) +
           most_slots(args) * 8;
  }

  __device__ __forceinline__ void put_aside(std::int64_t segment, std::int64_t length) const {
    const unsigned slots = unsigned(ceil_div(length, stretch));
    const unsigned g = atomicAdd(&counters[0], 1u);
    const unsigned slot = atomicAdd(&counters[1], slots);
    giants[g] = {segment, slot, slots, 0};
    for (unsigned k = 0; k < slots; ++k) owners[slot + k] = g;
  }
};

template <class T, class Op, int Stretch>
__global__ void __launch_bounds__(giant_threads, 4)
    giants(const T* x, T* y, Segments segments, List<Stretch> list, Op op) {
  __shared__ float slots[giant_threads / 32];
  __shared__ bool is_last;
  const unsigned all = list.counters[1];
  for (unsigned slot = blockIdx.x; slot < all; slot += gridDim.x) {
    const unsigned g = list.owners[slot];
    const Giant& giant = list.giants[g];
    const std::int64_t begin = segments.start(giant.segment);
    const std::int64_t end = segments.start(giant.segment + 1);
    const std::int64_t first = begin + (slot - giant.first_slot) * Stretch;
    const reduce::Elements<T, Op> in{x + first, op};
    float mine = reduce::reduce_stretch<giant_threads, 4>(in, min(list.stretch, end - first));
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

// After the launch that put them aside.
template <class T, class Op, int Stretch>
void sum_giants(const Args& args, const Segments& segments, const List<Stretch>& list, Op op,
                cudaStream_t stream) {
  if (args.x.shape[0] <= Stretch) return;  // then there is none
  const std::int64_t most = list.most_slots(args), fit = std::int64_t(multiprocessors()) * 8;
  giants<<<unsigned(std::min(most, fit)), giant_threads, 0, stream>>>(
      args.x.as<const T>(), args.y.as<T>(), segments, list, op);
}

}  // namespace
}  // namespace warpath::segment_sum
