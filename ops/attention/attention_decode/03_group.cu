// Grouped queries packed: a key is read once for all the queries that use it.
//
// What changed: a block takes up to eight rows, a row being one query head of one new token that reads this key head. The keys
// and values that a team has loaded serve all of them from registers. 32 query heads on 8 key heads then read a quarter of
// the bytes. Rows beyond eight are another block's.
// Limit: a block per sequence and key head. Few sequences leave most of the GPU idle, however long they are.
#include "ops/attention/attention_decode/team.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int most_rows = 8;

template <class T, int N, int Dim>
__global__ void __launch_bounds__(threads) grouped(Problem<T> p, int row_blocks) {
  using Rows = Team<T, N, Dim, most_rows>;
  __shared__ typename Rows::Shared shared;
  const int row0 = int(blockIdx.x % row_blocks) * most_rows;
  const int kv = int(blockIdx.x / row_blocks % p.kv_heads);
  const int sequence = int(blockIdx.x / row_blocks / p.kv_heads);
  const int rows = min(most_rows, p.rows - row0);
  Rows team(p, {sequence, kv, row0, rows});
  const attention::Keys keys = p.visible(sequence).of_rows(
      p.token_of(row0), p.token_of(row0 + rows - 1) + 1);  // that any of them sees
  team.add(keys.first, keys.last);
  team.finish(shared, [&](int row, int d, float sum, Stat stat) {
    p.output(sequence, kv, row)[d] = from_float<T>(sum * share_of(stat.sum));
    if (d == 0) p.put_lse(sequence, kv, row, stat);
  });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  with_team(args, [&](auto tag, auto n, auto dim) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    const int row_blocks = ceil_div(p.rows, most_rows);
    grouped<T, n.value, dim.value>
        <<<grid_x(batch_of(args) * p.kv_heads * row_blocks, 1), threads, 0, stream>>>(p,
                                                                                      row_blocks);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::attention_decode
