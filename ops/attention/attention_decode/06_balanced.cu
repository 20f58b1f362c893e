// Equal shares of all tiles, whatever the lengths: as many blocks as run at once, each walks through its share.
//
// What changed: the tiles of all sequences and heads stand in one row, and block i takes the i-th piece of it. A piece may
// begin in the middle of one unit (the rows of a sequence and key head) and end in the middle of another; what lies between is
// whole. So at most two units of a block are shared with others, and scratch memory holds two results per block. All blocks
// compute the same cuts from the lengths, on the device. The copies run on from one unit to the next: the memory has no pause
// while a result is written. The blocks take their places while the kernel before it ends.
// Limit: the memory.
#include "core/host/dependent_launch.cuh"
#include "core/ptx/grid_order.cuh"
#include "ops/attention/attention_decode/tensor.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int least_tiles =
    4;  // of a block: joining many short parts would cost more than it gains

// Where a block's first tile lies: unit of the sequence, tile of the unit.
struct Spot {
  int sequence, unit, tile;
};

// What a block knows of the cuts.
struct Cut {
  int each;        // tiles of a share
  int begin, end;  // this block's tiles; none: end <= begin
  Spot spot;
};

struct Shares {
  int batch, row_blocks, rows;  // rows of a block
  Cut cut;

  // Unit `unit` of a sequence from its tile `at` on, which is tile `number` of all.
  template <class T>
  __device__ __forceinline__ Run run_of(const Problem<T>& p, int sequence, int unit, int at,
                                        int number) const {
    const Tiles all(p, sequence);
    const int kv = unit / row_blocks, row0 = unit % row_blocks * rows;
    const int start = number - at, count = min(all.count - at, cut.end - number);
    const int first_block = start / cut.each, last_block = (start + all.count - 1) / cut.each;
    return {.sequence = sequence,
            .kv = kv,
            .row0 = row0,
            .rows = min(rows, p.rows - row0),
            .tile = all.first + at,
            .end = all.first + at + count,
            .keys = all.keys,
            .part = int(blockIdx.x) - first_block,
            .parts = last_block - first_block + 1,
            .counter = first_block,  // a block has one unit that goes on in the next block
            .behind = number + count};
  }
  template <class T>
  __device__ __forceinline__ Run first(const Problem<T>& p) const {
    return run_of(p, cut.spot.sequence, cut.spot.unit, cut.spot.tile, cut.begin);
  }
  template <class T>
  __device__ __forceinline__ void next(const Problem<T>& p, Run& run) const {
    if (run.behind == cut.end) return void(run.parts = -1);
    const int unit = run.kv * row_blocks + run.row0 / rows + 1;
    const bool is_next_sequence = unit == p.kv_heads * row_blocks;
    run = run_of(p, run.sequence + is_next_sequence, is_next_sequence ? 0 : unit, 0, run.behind);
  }
  // In the block where it begins, a unit is the last; in the others it is the first.
  __device__ __forceinline__ int slot(const Run& run, int part) const {
    return 2 * (run.counter + part) + (part == 0);
  }

  // A thread counts the tiles of some sequences; the one that has the block's first tile says where it is.
  template <class T>
  __device__ __forceinline__ void find(const Problem<T>& p, int (&counts)[threads], Spot& found) {
    const int each = (batch + threads - 1) / threads, units = p.kv_heads * row_blocks;
    const int begin = min(int(threadIdx.x) * each, batch), end = min(begin + each, batch);
    int mine = 0;
    for (int b = begin; b < end; ++b) mine += Tiles(p, b).count * units;
    counts[threadIdx.x] = mine;
    __syncthreads();
    int before = 0, total = 0;
    for (int t = 0; t < threads; ++t) {
      if (t == int(threadIdx.x)) before = total;
      total += counts[t];
    }
    cut.each = max((total + int(gridDim.x) - 1) / int(gridDim.x), least_tiles);
    cut.begin = int(blockIdx.x) * cut.each;
    cut.end = min(cut.begin + cut.each, total);
    if (cut.end <= cut.begin) return;
    if (cut.begin >= before && cut.begin < before + mine) {
      int b = begin, at = cut.begin - before;
      while (at >= Tiles(p, b).count * units) at -= Tiles(p, b++).count * units;
      const int count = Tiles(p, b).count;
      found = {b, at / count, at % count};
    }
    __syncthreads();
    cut.spot = found;
  }
};

template <class T, class Loop>
__global__ void __launch_bounds__(threads, Loop::blocks_an_sm)
    balanced(const Problem<T> p, Shares plan, const Partials partials) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ typename Loop::Shared shared;
  __shared__ int counts[threads];
  __shared__ Spot found;
  ptx::let_next_grid_start();
  ptx::wait_for_grids_before();
  plan.find(p, counts, found);
  if (plan.cut.begin < plan.cut.end) Loop(p, memory).run(plan, plan.first(p), partials, shared);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  const std::int64_t blocks = resident_blocks(args);
  with_tensor(args, [&](auto type, auto loop) {
    using T = typename decltype(type)::type;
    using Loop = typename decltype(loop)::type;
    const auto kernel = balanced<T, Loop>;
    allow_shared(kernel, Loop::shared_bytes);
    const Problem<T> p = problem_of<T>(args);
    const DependentLaunch launch{grid_x(blocks, 1), threads, Loop::shared_bytes, stream};
    launch(kernel, p, Shares{int(batch_of(args)), row_blocks(args), Loop::rows, {}},
           Partials::in(args.scratch, 2 * blocks, Loop::rows, p.dim));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args&) {
  return Partials::counter_bytes();
}
std::int64_t scratch_bytes(const Args& args) {
  return Partials::bytes(2 * resident_blocks(args), 16 * row_tiles(args), args.q.shape[3]);
}

WARPATH_RUNG(Args, launch, .supports = tensor_fits, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::attention_decode
