// dq by many blocks: float sums in scratch memory, in the order of the accumulators, then rounded.
#pragma once
#include "core/thread/vector.cuh"
#include "core/warp/fragment_sum.cuh"
#include "ops/attention/attention/backward_delta.cuh"

namespace warpath::attention {
namespace {

constexpr int round_rows = 64, round_threads = 256;

// Where the sums of dq lie: 16 x 8 at a time, `strips` of 16 rows per head. A sequence begins at the strip at which its
// first tile of 16 rows would.
struct DqSums {
  float* data;
  int strips, columns;  // columns: 8 each

  template <class T>
  static __device__ __forceinline__ int first_strip(const Problem<T>& problem, int sequence) {
    return problem.sequences.q_offsets ? problem.sequences.template first_tile<16>(sequence) : 0;
  }
  __device__ __forceinline__ float* strip(std::int64_t head_of_all, int strip) const {
    return data + (head_of_all * strips + strip) * columns * FragmentSum::floats;
  }
};

inline std::int64_t dq_sum_bytes(const Backward& args) {
  return args.q.shape[0] * args.q.shape[2] * tiles_per_head<16>(forward_of(args)) *
         ceil_div(args.q.shape[3], 8) * FragmentSum::floats * std::int64_t(sizeof(float));
}

inline DqSums dq_sums_of(const Backward& args, void* at) {
  return {static_cast<float*>(at), tiles_per_head<16>(forward_of(args)),
          int(ceil_div(args.q.shape[3], 8))};
}

template <class T>
__global__ void __launch_bounds__(round_threads)
    round_dq(BackwardProblem<T> problem, int per_head, DqSums sums, bool vectors) {
  const auto [s, head, first] = tile_of<round_rows>(problem, int(blockIdx.x), per_head);
  if (first >= s.queries) return;
  const int sequence =
      problem.sequences.q_offsets ? problem.sequences.of_token(s.first_query) : s.batch;
  const int strip = sums.first_strip(problem, sequence);
  for (int n = threadIdx.x; n < round_rows * sums.columns; n += round_threads) {
    const int i = first + n / sums.columns, c = n % sums.columns;
    if (i >= s.queries) return;
    const float* const from =
        sums.strip(std::int64_t(s.batch) * problem.heads + head, strip + i / 16);
    float sum[FragmentSum::columns];
    FragmentSum::read(sum, from + c * FragmentSum::floats, i % 16);
    Vector<T, 8> out;
#pragma unroll
    for (int e = 0; e < 8; ++e) out.at[e] = from_float<T>(problem.scale * sum[e]);
    T* const to = problem.dq.at(s.batch, s.first_query + i, head);
    if (vectors)
      store<8>(to + 8 * c, out);
    else
      for (int e = 0; e < 8 && 8 * c + e < problem.dim; ++e) to[8 * c + e] = out.at[e];
  }
}

template <class T>
void round_sums(const Backward& args, const BackwardProblem<T>& problem, const DqSums& sums,
                cudaStream_t stream) {
  const Forward forward = forward_of(args);
  round_dq<<<tiles_of<round_rows>(forward), round_threads, 0, stream>>>(
      problem, tiles_per_head<round_rows>(forward), sums, in_vectors(args.dq));
}

}  // namespace
}  // namespace warpath::attention
