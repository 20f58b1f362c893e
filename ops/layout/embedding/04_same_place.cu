// A piece of the position table is read once for four sequences.
//
// What changed: a thread's four vectors are not neighbours in y but lie at the same place of four sequences of the batch.
// They need the same piece of the position table: it is loaded once and stays in registers, so there are five loads for
// four stores instead of eight. The place of a token is its row of the grid, and nothing divides by `seq`.
// Limit: the memory.
#include "core/thread/divisor.cuh"
#include "core/thread/vector.cuh"
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256, each = 4;

template <class T, int N>
__global__ void __launch_bounds__(threads) same_place(Call<T> call, int pieces, Divisor by_pieces) {
  const int v = int(blockIdx.x * threads + threadIdx.x);  // of the vectors of one sequence
  const int place = by_pieces.quotient(v);
  if (place >= call.seq) return;
  const int column = (v - place * pieces) * N;
  const Vector<T, N> extra =
      load_kept<N>(call.position_table + std::int64_t(place) * call.width + column);
  std::int64_t token[each], row[each];
  bool inside[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    token[k] = (std::int64_t(blockIdx.y) * each + k) * call.seq + place;
    inside[k] = token[k] < call.tokens;
  }
  call.ids.load(row, token, inside);
  Vector<T, N> value[each];
#pragma unroll
  for (int k = 0; k < each; ++k)
    value[k] = load_kept<N>(call.table + row[k] * call.width + column, inside[k]);
#pragma unroll
  for (int k = 0; k < each; ++k) {
#pragma unroll
    for (int n = 0; n < N; ++n)
      value[k].at[n] = from_float<T>(to_float(value[k].at[n]) + to_float(extra.at[n]));
    if (inside[k]) store<N>(call.y + token[k] * call.width + column, value[k]);
  }
}

template <class T, int N>
void launch_width(const Forward& args, cudaStream_t stream) {
  const std::int64_t batch = args.ids.shape[0], seq = args.ids.shape[1];
  const int pieces = int(args.table.shape[1] / N);
  const dim3 grid(grid_x(seq * pieces, threads), unsigned(ceil_div(batch, std::int64_t(each))));
  same_place<T, N><<<grid, threads, 0, stream>>>(Call<T>::of(args), pieces, Divisor::of(pieces));
}

void launch(const Forward& args, cudaStream_t stream) {
  check_positions(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    if (args.table.shape[1] % N == 0 &&
        all_aligned(16, args.table.as<T>(), args.position_table.as<T>(), args.y.as<T>()))
      launch_width<T, N>(args, stream);
    else
      launch_width<T, 1>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (args.position_table.rank == 0) return "takes calls with a position table";
  if (args.positions.rank > 0) return "takes no positions: each token's place in its sequence";
  return args.ids.shape[1] * args.table.shape[1] < (1 << 30) &&
                 args.ids.shape[0] <= each * 65535  // blocks along y
             ? ""
             : "takes sequences of fewer than 2^30 elements, and at most 262140 of them";
}
// With fewer sequences than a thread takes, loads would be missing.
std::string preferred(const Forward& args) {
  return args.ids.shape[0] >= each ? "" : "fewer than four sequences";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred);

}  // namespace
}  // namespace warpath::embedding
