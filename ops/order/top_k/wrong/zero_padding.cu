// Fills the last lanes of a row with zeros: they beat every negative number. Right for rows of whole warps, and where the
// best are positive.
#include "core/warp/reduce.cuh"
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr std::int64_t most_cols = 1024, most_k = 32;

template <class T, int Each>
__global__ void __launch_bounds__(threads) zero_padding(Call<T> call) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= call.rows) return;
  const int lane = threadIdx.x % 32, cols = int(call.cols);
  const T* const x = call.x + row * call.cols;
  unsigned keys[Each];
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int c = e * 32 + lane;
    keys[e] = key_of(c < cols ? to_float(x[c]) : 0.0f, call.flip);
  }
  // A bit per element that is still there: a key of zero may be that of an element.
  unsigned left = 0;
#pragma unroll
  for (int e = 0; e < Each; ++e) left |= 1u << e;
  unsigned best = 0;
  int place = -1;  // of the lane's best, -1: none
  const auto find_best = [&] {
    best = 0;
    place = -1;
#pragma unroll
    for (int e = 0; e < Each; ++e)
      if ((left >> e & 1) && (place < 0 || keys[e] > best)) {
        best = keys[e];
        place = e;
      }
  };
  find_best();
  unsigned mine = 0;  // the column that this lane writes
  for (int j = 0; j < int(call.k); ++j) {
    const unsigned key = __reduce_max_sync(full_mask, best);
    const unsigned column = place >= 0 && best == key ? unsigned(place * 32 + lane) : ~0u;
    const unsigned first = __reduce_min_sync(full_mask, column);
    if (lane == j) mine = first;
    if (column == first) {
      left &= ~(1u << place);
      find_best();
    }
  }
  int rank = lane;
  if (!call.sorted) {
    rank = 0;
    for (int j = 0; j < int(call.k); ++j) rank += __shfl_sync(full_mask, mine, j) < mine;
  }
  if (lane < int(call.k) && mine < unsigned(cols)) call.write(row, rank, candidate(0, mine));
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const unsigned grid = grid_x(args.x.shape[0], warps);
    if (args.x.shape[1] <= 128)
      zero_padding<T, 4><<<grid, threads, 0, stream>>>(Call<T>::of(args));
    else
      zero_padding<T, 32><<<grid, threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.x.shape[1] <= most_cols && args.k <= most_k
             ? ""
             : "takes at most 1024 columns, and k up to 32";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::top_k
