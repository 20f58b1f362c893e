// Tensor cores on the packed queries, keys and values by cp.async two tiles ahead.
//
// What changed: the rows of a group are the 16 rows of an mma, so the products cost next to nothing, padding included. Tiles
// of 64 keys and values are copied to shared memory asynchronously (tensor.cuh): 64 KiB are in flight per block of 128
// threads, 128 KiB per multiprocessor, and no register waits for them. The four warps take 16 keys each of every tile, with
// their own maximum, sum and output, so that one barrier per tile is all they share. The keys are split over blocks as in rung
// 04.
// Limit: where sequences differ in length, the blocks of the short ones end early and the long ones are waited for. And blocks
// that end at the same time leave the memory idle while the next ones start.
#include "ops/attention/attention_decode/tensor.cuh"

namespace warpath::attention_decode {
namespace {

// Every unit in the same number of parts.
struct Parts {
  Split split;
  int row_blocks, rows;  // of a block

  template <class T>
  __device__ __forceinline__ Run first(const Problem<T>& p) const {
    const int unit = int(blockIdx.x) / split.parts, part = int(blockIdx.x) % split.parts;
    const int row0 = unit % row_blocks * rows, sequence = unit / row_blocks / p.kv_heads;
    const Tiles all(p, sequence);
    const int each = (all.count + split.parts - 1) / split.parts;
    const int begin = all.first + part * each, end = min(all.first + all.count, begin + each);
    return {.sequence = sequence,
            .kv = unit / row_blocks % p.kv_heads,
            .row0 = row0,
            .rows = min(rows, p.rows - row0),
            .tile = begin,
            .end = end,
            .keys = all.keys,
            .part = part,
            .parts = begin < end ? (all.count + each - 1) / each : -1,
            .counter = unit,
            .behind = 0};
  }
  template <class T>
  __device__ __forceinline__ void next(const Problem<T>&, Run& run) const {
    run.parts = -1;
  }
  __device__ __forceinline__ int slot(const Run& run, int part) const {
    return run.counter * split.parts + part;
  }
};

template <class T, class Loop>
__global__ void __launch_bounds__(threads, Loop::blocks_an_sm)
    by_mma(const Problem<T> p, const Parts plan, const Partials partials) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ typename Loop::Shared shared;
  const Run run = plan.first(p);
  if (run.is()) Loop(p, memory).run(plan, run, partials, shared);
}

std::int64_t units_of(const Args& args) {
  return batch_of(args) * args.k.shape[2] * row_blocks(args);
}
Split split_for(const Args& args) {
  return split_of(args, units_of(args), resident_blocks(args), 4 * tile_keys);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  const Split split = split_for(args);
  const std::int64_t blocks = units_of(args) * split.parts;
  with_tensor(args, [&](auto type, auto loop) {
    using T = typename decltype(type)::type;
    using Loop = typename decltype(loop)::type;
    const auto kernel = by_mma<T, Loop>;
    allow_shared(kernel, Loop::shared_bytes);
    const Problem<T> p = problem_of<T>(args);
    kernel<<<grid_x(blocks, 1), threads, Loop::shared_bytes, stream>>>(
        p, Parts{split, row_blocks(args), Loop::rows},
        Partials::in(args.scratch, blocks, Loop::rows, p.dim));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args&) {
  return Partials::counter_bytes();
}
std::int64_t scratch_bytes(const Args& args) {
  const Split split = split_for(args);
  const std::int64_t slots = split.parts > 1 ? units_of(args) * split.parts : 0;
  return Partials::bytes(slots, 16 * row_tiles(args), args.q.shape[3]);
}

WARPATH_RUNG(Args, launch, .supports = tensor_fits, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::attention_decode
