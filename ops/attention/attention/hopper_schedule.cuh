// Which tile of queries a persistent block takes next.
//
// The producer's warp asks a counter in global memory, finds out what the number stands for, and hands it to the
// consumers through a small queue.
#pragma once
#include "ops/attention/attention/hopper_forward.cuh"

namespace warpath::attention::hopper {

inline std::int64_t work_items(const Problem& p) {
  return std::int64_t(p.tiles) * p.batch * p.heads;
}

// The tile of a number, by all lanes of a warp. False where a packed axis has fewer tiles than `problem.tiles`.
template <class Tile>
__device__ __forceinline__ bool find_work(const Problem& p, int number, Work& w) {
  // `heads_together` heads at a time, all their tiles; in such a group the tiles with most keys first.
  const int all = p.batch * p.heads, group = number / (p.tiles * p.heads_together);
  const int in_group = number - group * p.tiles * p.heads_together;
  const int heads = min(p.heads_together, all - group * p.heads_together);
  int tile = in_group / heads;
  const int head = group * p.heads_together + in_group - tile * heads;
  if (p.causal) tile = p.tiles - 1 - tile;
  w.batch = head / p.heads;
  w.head = head - w.batch * p.heads;
  w.kv_head = w.head / p.group;
  w.q_at = w.k_at = 0;
  w.queries = p.queries;
  w.keys = p.keys;
  w.row = tile * Tile::rows;
  if (!p.q_offsets) return true;
  // Sequence by sequence, 32 at a time: a prefix sum over their numbers of tiles. What lies before the first and behind
  // the last one are two more, without keys.
  const int lane = threadIdx.x % 32, last = p.sequences + 1;
  for (int first = 0; first <= last; first += 32) {
    const int s = first + lane;
    const int begin = s == 0 || s > last ? 0 : p.q_offsets[s - 1];
    const int length = s > last ? 0 : (s == last ? p.queries : p.q_offsets[s]) - begin;
    const int own = (length + Tile::rows - 1) / Tile::rows;
    int sum = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += before;
    }
    const unsigned beyond = __ballot_sync(0xffffffffu, tile < sum);
    if (beyond != 0) {
      const int at = __ffs(int(beyond)) - 1;
      w.q_at = __shfl_sync(0xffffffffu, begin, at);
      w.queries = __shfl_sync(0xffffffffu, length, at);
      w.row = (tile - __shfl_sync(0xffffffffu, sum - own, at)) * Tile::rows;
      const int found = first + at;
      const bool outside = found == 0 || found == last;
      w.k_at = outside ? 0 : p.k_offsets[found - 1];
      w.keys = outside ? 0 : p.k_offsets[found] - w.k_at;
      return true;
    }
    tile -= __shfl_sync(0xffffffffu, sum, 31);
  }
  return false;
}

template <class Tile>
struct WorkQueue {
  static constexpr int slots = 2;
  Work work[slots];  // batch -1: no more
  ptx::Barrier full[slots], empty[slots];

  // By one thread; a barrier of the block must follow. No fence: TMA has nothing to do with the queue.
  __device__ __forceinline__ void init() {
    for (int s = 0; s < slots; ++s) {
      ptx::init(full[s], 1);
      ptx::init(empty[s], warps_of(Tile::groups));
    }
  }
};

// The producer's end: all lanes of a warp.
template <class Tile>
struct WorkSource {
  WorkQueue<Tile>& queue;
  const Problem& problem;
  unsigned* counter;
  PipelineState<WorkQueue<Tile>::slots> state;
  int number = int(blockIdx.x), all;

  __device__ __forceinline__ WorkSource(WorkQueue<Tile>& q, const Problem& p, unsigned* c)
      : queue(q), problem(p), counter(c), all(p.tiles * p.batch * p.heads) {}

  // Every block asks until it gets a number past the end: `all` times in total. Whoever asks last leaves a zero.
  __device__ __forceinline__ void advance() {
    unsigned old = 0;
    if (threadIdx.x == 0) {
      old = atomicAdd(counter, 1u);
      if (old == unsigned(all) - 1) atomicExch(counter, 0u);
    }
    number = int(gridDim.x + __shfl_sync(0xffffffffu, old, 0));
  }
  __device__ __forceinline__ bool next(Work& w) {
    bool found = false;
    while (number < all && !found) {
      found = find_work<Tile>(problem, number, w);
      advance();
    }
    if (!found) w.batch = -1;
    // One lane waits. Lanes that run behind it might look at the barrier only after its next phase, whose parity they
    // could not tell from that of the phase before.
    if (threadIdx.x == 0) {
      ptx::wait(queue.empty[state.stage], state.parity ^ 1);
      queue.work[state.stage] = w;
      ptx::arrive(queue.full[state.stage]);
    }
    state.next();
    return found;
  }
};

// The consumers' end. Each lane reads one number and the shuffles hand them out: so the compiler knows that all lanes have the
// same, and that all have read when the first one arrives at `empty`. The warp then meets. Together these keep the
// stages and descriptors of the mainloop in uniform registers; otherwise two R2UR precede each wgmma, while the other
// groups wait for their turn.
template <class Tile>
struct WorkReader {
  WorkQueue<Tile>& queue;
  PipelineState<WorkQueue<Tile>::slots> state;

  __device__ __forceinline__ explicit WorkReader(WorkQueue<Tile>& q) : queue(q) {}

  __device__ __forceinline__ bool next(Work& w) {
    constexpr int numbers = sizeof(Work) / sizeof(int);
    ptx::wait(queue.full[state.stage], state.parity);
    const int mine = reinterpret_cast<const int*>(&queue.work[state.stage])[threadIdx.x % numbers];
    const auto number = [&](int i) { return __shfl_sync(0xffffffffu, mine, i); };
    w = {number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7)};
    static_assert(numbers == 8);
    if (threadIdx.x % 32 == 0) ptx::arrive(queue.empty[state.stage]);
    state.next();
    __syncwarp();
    return w.batch >= 0;
  }
};

}  // namespace warpath::attention::hopper
