// The last block joins what the others have written, but nothing makes their writes visible before their counts: a count may
// be there while the memory does not hold the part yet.
#include "ops/attention/attention_decode/partials.cuh"
#include "ops/attention/attention_decode/team.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int most_rows = 8, least_keys = 64;

template <class T, int N, int Dim>
__global__ void __launch_bounds__(threads)
    no_fence(Problem<T> p, int row_blocks, Split split, Partials partials) {
  using Rows = Team<T, N, Dim, most_rows>;
  __shared__ typename Rows::Shared shared;
  __shared__ bool last;
  const int unit = int(blockIdx.x) / split.parts, part = int(blockIdx.x) % split.parts;
  const int row0 = unit % row_blocks * most_rows, kv = unit / row_blocks % p.kv_heads;
  const int sequence = unit / row_blocks / p.kv_heads, rows = min(most_rows, p.rows - row0);
  const attention::Keys keys =
      p.visible(sequence).of_rows(p.token_of(row0), p.token_of(row0 + rows - 1) + 1);
  const int each = split.each(keys, Rows::teams * keys_at_once);
  const int parts = each == 0 ? 1 : (keys.last - keys.first + each - 1) / each;
  if (part >= parts) return;

  Rows team(p, {sequence, kv, row0, rows});
  const int begin = keys.first + part * each;
  team.add(begin, min(keys.last, begin + each));
  const auto put = [&](int row, int d, float sum, Stat stat) {
    p.output(sequence, kv, row)[d] = from_float<T>(sum * share_of(stat.sum));
    if (d == 0) p.put_lse(sequence, kv, row, stat);
  };
  if (parts == 1) return team.finish(shared, put);

  const int slot = unit * split.parts;
  team.finish(shared, [&](int row, int d, float sum, Stat stat) {
    partials.put(slot + part, row - row0, d, sum, stat);
  });
  // Missing here: __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(&partials.done[unit], parts - 1) == unsigned(parts - 1);
  __syncthreads();
  if (!last) return;
  partials.join<threads>(
      parts, rows, p.dim, [&](int q) { return slot + q; },
      [&](int row, int d, float sum, Stat stat) { put(row0 + row, d, sum, stat); });
}

std::int64_t units_of(const Args& args) {
  return batch_of(args) * args.k.shape[2] * ceil_div(rows_of(args), most_rows);
}
Split split_for(const Args& args) {
  return split_of(args, units_of(args), most_counters(), least_keys);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  const Split split = split_for(args);
  const std::int64_t blocks = units_of(args) * split.parts;
  with_team(args, [&](auto tag, auto n, auto dim) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    no_fence<T, n.value, dim.value><<<grid_x(blocks, 1), threads, 0, stream>>>(
        p, ceil_div(p.rows, most_rows), split,
        Partials::in(args.scratch, blocks, most_rows, p.dim));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args&) {
  return Partials::counter_bytes();
}
std::int64_t scratch_bytes(const Args& args) {
  const Split split = split_for(args);
  const std::int64_t slots = split.parts > 1 ? units_of(args) * split.parts : 0;
  return Partials::bytes(slots, most_rows, args.q.shape[3]);
}

WARPATH_RUNG(Args, launch, .supports = fits, .scratch = scratch_bytes, .zeroed = counter_bytes,
             .race = true, .weak_memory = true);

}  // namespace
}  // namespace warpath::attention_decode
