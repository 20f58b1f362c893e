// A warp keeps the best k of what it has read in registers, sorted, with a queue per lane in front of the list.
//
// What changed from 03: rows of any length, and k up to 256. An element is compared with the k-th of the list. What is not better
// is gone after one comparison; what is better waits in its lane's queue of two or four registers. Only when one of the 32
// queues is full does the warp sort all of them and merge them into the list, by shuffles and without a barrier. Eight warps
// share a row; in the end the block sorts their eight lists in shared memory. FAISS calls this WarpSelect.
// Limit: a 64-bit candidate and a comparison for each element; a row that grows merges after every few elements; and each
// warp finds a threshold of its own, from an eighth of the row.
#include "ops/order/top_k/candidates.cuh"
#include "ops/order/top_k/queues.cuh"

namespace warpath::top_k {
namespace {

constexpr int in_flight = 4;
constexpr std::int64_t longest_list = 256;

template <int E, int Q, class T>
__global__ void __launch_bounds__(threads) queues(Call<T> call) {
  __shared__ Candidate all[warps * 32 * E];
  const std::int64_t row = blockIdx.x;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, k = int(call.k);
  const T* const x = call.x + row * call.cols;
  Queues<E, Q> list(k);
  for (std::int64_t first = warp * 32; first < call.cols; first += in_flight * threads) {
    Candidate here[in_flight];
    bool some = false;
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const std::int64_t c = first + u * threads + lane;
      here[u] = c < call.cols ? candidate(key_of(x[c], call.flip), c) : 0;
      some |= here[u] > list.least;
    }
    if (!__any_sync(full_mask, some)) continue;
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      list.push(here[u]);
      list.merge_if_full();
    }
  }
  list.merge();
#pragma unroll
  for (int e = 0; e < E; ++e)
    if (e * 32 + lane < k) all[warp * k + e * 32 + lane] = list.best[e];
  write_best(call, row, all, warps * k);
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const unsigned grid = grid_x(args.x.shape[0], 1);
    const auto call = Call<T>::of(args);
    if (args.k <= 32)
      queues<1, 2><<<grid, threads, 0, stream>>>(call);
    else if (args.k <= 64)
      queues<2, 2><<<grid, threads, 0, stream>>>(call);
    else if (args.k <= 128)
      queues<4, 4><<<grid, threads, 0, stream>>>(call);
    else
      queues<8, 4><<<grid, threads, 0, stream>>>(call);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.k <= longest_list ? short_enough(args) : "takes k up to 256";
}
// On an H200, k = 64 of rows of 32768: 238 us, 06 takes 73; k = 50 of 64 rows of 128256: 256 us, 07 takes 31.
std::string slower(const Forward&) {
  return "06 and 07 are three to eight times as fast in long rows, and no GPU has timed short ones";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = slower);

}  // namespace
}  // namespace warpath::top_k
