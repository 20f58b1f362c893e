// dq by many blocks: float sums in scratch memory, in the order of the accumulators, then rounded.
#pragma once
#include "core/thread/vector.cuh"
#include "core/warp/fragment_sum.cuh"
#include "ops/attention/attention/backward_delta.cuh"

namespace warpath::attention {
namespace {

constexpr int round_rows = 64, round_threads = 256;

// Where the sums of dq lie: 16 x 8 at a time, `strips` of 16 rows per head. Sequences begin at strips.
struct DqSums {
  float* data;
  std::int64_t strips;
  int columns;  // strips of 8

  template <class T>
  __device__ __forceinline__ float* strip(const BackwardProblem<T>& problem, const Sequence& s,
                                          int sequence, int head, int i) const {
    const std::int64_t first = problem.q_offsets ? s.q0 / 16 + sequence : 0;
    const std::int64_t at =
        (std::int64_t(s.batch) * problem.heads + head) * strips + first + i / 16;
    return data + at * columns * FragmentSum::floats;
  }
};

inline std::int64_t strips_of(const Backward& args) {
  if (args.q_offsets.data) return args.q.shape[1] / 16 + args.q_offsets.shape[0];
  return ceil_div(args.q.shape[1], 16);
}

inline std::int64_t dq_sum_bytes(const Backward& args) {
  return args.q.shape[0] * args.q.shape[2] * strips_of(args) * (args.q.shape[3] / 8) *
         FragmentSum::floats * std::int64_t(sizeof(float));
}

inline DqSums dq_sums_of(const Backward& args, void* at) {
  return {static_cast<float*>(at), strips_of(args), int(args.q.shape[3] / 8)};
}

template <class T>
__global__ void __launch_bounds__(round_threads) round_dq(BackwardProblem<T> problem, DqSums sums) {
  const SequenceTile at = problem.find(blockIdx.x, round_rows, true);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  for (int n = threadIdx.x; n < round_rows * sums.columns; n += round_threads) {
    const int i = at.first + n / sums.columns, c = n % sums.columns;
    if (i >= s.visible.queries) return;
    float sum[FragmentSum::columns];
    const float* const strip = sums.strip(problem, s, at.sequence, blockIdx.y, i);
    FragmentSum::read(sum, strip + c * FragmentSum::floats, i % 16);
    Vector<T, 8> out;
#pragma unroll
    for (int e = 0; e < 8; ++e) out.at[e] = from_float<T>(problem.scale * sum[e]);
    store<8>(problem.dq.at(s.batch, s.q0 + i, blockIdx.y) + 8 * c, out);
  }
}

template <class T>
void round_sums(const Backward& args, const BackwardProblem<T>& problem, const DqSums& sums,
                cudaStream_t stream) {
  const dim3 grid(grid_x(most_tiles(args, problem.queries, round_rows), 1), problem.heads);
  round_dq<<<grid, round_threads, 0, stream>>>(problem, sums);
}

}  // namespace
}  // namespace warpath::attention
