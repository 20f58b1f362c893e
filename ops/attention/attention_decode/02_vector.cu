// Sixteen bytes per load, four warps per query: a few lanes read a key, many keys are in flight.
//
// What changed: a head of 128 halves is 16 loads of 16 bytes. So 16 lanes, a team, read a key together, and the eight teams of
// a block read eight keys at once, four of them one behind the other (team.cuh). A dot product takes four shuffles, not five,
// and the output is rescaled once for four keys. Every team has its own maximum, sum and output; the block joins them at the
// end. Heads that do not start at multiples of 16 bytes are read element by element.
// Limit: with grouped queries every key is still read once per query; and 32 blocks of one long sequence leave most of the GPU
// idle.
#include "ops/attention/attention_decode/team.cuh"

namespace warpath::attention_decode {
namespace {

template <class T, int N, int Dim>
__global__ void __launch_bounds__(threads) vectorised(Problem<T> p) {
  using Row = Team<T, N, Dim, 1>;
  __shared__ typename Row::Shared shared;
  const int row = int(blockIdx.x % p.rows), kv = int(blockIdx.x / p.rows % p.kv_heads);
  const int sequence = int(blockIdx.x / p.rows / p.kv_heads);
  Row team(p, {sequence, kv, row, 1});
  team.add(team.keys[0].first, team.keys[0].last);
  T* const to = p.output(sequence, kv, row);
  team.finish(shared, [&](int, int d, float sum, Stat stat) {
    to[d] = from_float<T>(sum * share_of(stat.sum));
    if (d == 0) p.put_lse(sequence, kv, row, stat);
  });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  with_team(args, [&](auto tag, auto n, auto dim) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    vectorised<T, n.value, dim.value>
        <<<grid_x(batch_of(args) * p.kv_heads * p.rows, 1), threads, 0, stream>>>(p);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::attention_decode
