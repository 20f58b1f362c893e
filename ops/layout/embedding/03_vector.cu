// Sixteen bytes per access, four of them in flight per thread, whatever the width.
//
// What changed: y is a line of vectors, and a block takes 1024 of them: for 768 columns of bf16 that is ten rows and two
// thirds. So no lane idles when the width is no multiple of a warp's load. Each thread asks for its four ids, then for its
// four pieces of the table (and of the position table), and only then stores: four long latencies become two. The table
// is marked to stay in L2, where frequent ids find it again. Rows that do not start at multiples of 16 bytes are moved
// one element at a time, four in flight.
// Limit: the memory; with a position table, two loads per store.
#include "core/thread/divisor.cuh"
#include "core/thread/vector.cuh"
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256, each = 4, tile = threads * each;

// `pieces` vectors make a row.
template <class T, int N>
__global__ void __launch_bounds__(threads)
    vectors(Call<T> call, std::int64_t pieces, Divisor by_pieces, Divisor by_seq) {
  const std::int64_t first = std::int64_t(blockIdx.x) * tile, all = call.tokens * pieces;
  const std::int64_t first_token =
      first < (std::int64_t(1) << 31) ? by_pieces.quotient(int(first)) : first / pieces;
  const int first_piece = int(first - first_token * pieces);
  std::int64_t token[each], row[each], position[each];
  int column[each];
  bool inside[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int v = first_piece + k * threads + int(threadIdx.x);
    const int down = by_pieces.quotient(v);
    token[k] = first_token + down;
    column[k] = (v - down * int(pieces)) * N;
    inside[k] = first + k * threads + threadIdx.x < all;
  }
  call.ids.load(row, token, inside);
  if (call.position_table) {
    if (call.positions.data) {
      call.positions.load(position, token, inside);
    } else {
#pragma unroll
      for (int k = 0; k < each; ++k)
        position[k] = inside[k] ? token[k] - by_seq.quotient(int(token[k])) * call.seq : 0;
    }
  }
  Vector<T, N> value[each];
#pragma unroll
  for (int k = 0; k < each; ++k)
    value[k] = load_kept<N>(call.table + row[k] * call.width + column[k], inside[k]);
  if (call.position_table) {
    Vector<T, N> extra[each];
#pragma unroll
    for (int k = 0; k < each; ++k)
      extra[k] =
          load_kept<N>(call.position_table + position[k] * call.width + column[k], inside[k]);
#pragma unroll
    for (int k = 0; k < each; ++k)
#pragma unroll
      for (int n = 0; n < N; ++n)
        value[k].at[n] = from_float<T>(to_float(value[k].at[n]) + to_float(extra[k].at[n]));
  }
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (inside[k]) store<N>(call.y + (first + k * threads + threadIdx.x) * N, value[k]);
}

template <class T, int N>
void launch_width(const Forward& args, cudaStream_t stream) {
  const std::int64_t pieces = args.table.shape[1] / N;
  vectors<T, N><<<grid_x(args.ids.size() * pieces, tile), threads, 0, stream>>>(
      Call<T>::of(args), pieces, Divisor::of(int(pieces)), Divisor::of(int(args.ids.shape[1])));
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
  return args.table.shape[1] < (1 << 30) && args.ids.size() < (std::int64_t(1) << 31)
             ? ""
             : "takes fewer than 2^30 columns and 2^31 tokens";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::embedding
