// The tokens of each table row, in one pass over the ids: a counter and a bucket of 32 places per row. Which token gets
// which place depends on the order in which blocks run, so whoever reads a bucket sorts it. A row with more tokens than
// places is called frequent; its bucket is not used.
#pragma once
#include "core/thread/vector.cuh"
#include "core/warp/reduce.cuh"
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {

inline constexpr int places = 32;  // one per lane

// `place[t]` is kept where it is wanted: the number of a token among those of its row. Tokens of a warp with the same id
// take their numbers by one atomic addition: without that, a batch full of one id would add up one by one. Clears three
// cursors for the launches to come, where there are any.
static __global__ void __launch_bounds__(256)
    count_tokens(Ids ids, std::int64_t tokens, std::int64_t padding, unsigned* counts,
                 unsigned* buckets, unsigned* place, unsigned* cursors) {
  const std::int64_t t = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const std::int64_t row = t < tokens ? ids[t] : -1;
  if (cursors && t < 3) cursors[t] = 0;
  const bool counted = row >= 0 && row != padding;
  const unsigned same = __match_any_sync(full_mask, counted ? int(row) : -1);
  const int leader = __ffs(int(same)) - 1;
  unsigned number = 0;
  if (counted && int(lane) == leader) number = atomicAdd(&counts[row], unsigned(__popc(same)));
  number = __shfl_sync(full_mask, number, leader) + unsigned(__popc(same & ((1u << lane) - 1)));
  if (!counted) return;
  if (number < places) buckets[row * places + number] = unsigned(t);
  if (place) place[t] = number;
}

// The lane's value, with those of the first `n` lanes in ascending order.
__device__ __forceinline__ unsigned sort_lanes(unsigned value, int n) {
  int rank = 0;
  for (int k = 0; k < n; ++k) rank += __shfl_sync(full_mask, value, k) < value;
  // Lane `from` has rank `lane`: every lane says which rank it has.
  const int lane = threadIdx.x % 32;
  int from = lane;
  for (int k = 0; k < n; ++k)
    if (__shfl_sync(full_mask, rank, k) == lane) from = k;
  return __shfl_sync(full_mask, value, from);
}

// Adds rows of dy: those of the tokens that the first `n` lanes hold, in that order, columns from `first` on, `Each`
// vectors per lane. The loads of `Flight` tokens are in flight at a time.
template <int Flight = 2, int Each, int N, class T>
__device__ __forceinline__ void add_tokens(float (&sum)[Each][N], const T* dy, unsigned token,
                                           int n, std::int64_t first, std::int64_t width) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < n; k += Flight) {
    Vector<T, N> rows[Flight][Each];
#pragma unroll
    for (int f = 0; f < Flight; ++f) {
      const std::int64_t t = __shfl_sync(full_mask, token, min(k + f, n - 1));
#pragma unroll
      for (int e = 0; e < Each; ++e) {
        const std::int64_t c = first + (e * 32 + lane) * N;
        rows[f][e] = load_kept<N>(dy + t * width + c, c < width && k + f < n);
      }
    }
#pragma unroll
    for (int f = 0; f < Flight; ++f)
      if (k + f < n)
#pragma unroll
        for (int e = 0; e < Each; ++e)
#pragma unroll
          for (int i = 0; i < N; ++i) sum[e][i] += to_float(rows[f][e].at[i]);
  }
}

// Rounds and stores what add_tokens() added.
template <int Each, int N, class T>
__device__ __forceinline__ void store_sums(const float (&sum)[Each][N], T* to, std::int64_t first,
                                           std::int64_t width) {
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const std::int64_t c = first + (e * 32 + threadIdx.x % 32) * N;
    Vector<T, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from_float<T>(sum[e][i]);
    if (c < width) store<N>(to + c, v);
  }
}

// Vectors per lane: 16 sums.
template <int N>
inline constexpr int vectors_each = N == 8 ? 3 : 4;

// A row with few tokens, or none, by one warp. Calls `frequent(n)` with the whole warp where they are more than `few`.
template <class T, int N, class F>
__device__ __forceinline__ void sum_bucket(const T* dy, T* dtable, std::int64_t row,
                                           std::int64_t width, unsigned* counts,
                                           const unsigned* buckets, F frequent, int few) {
  constexpr int Each = vectors_each<N>;
  const int lane = threadIdx.x % 32, n = int(counts[row]);
  if (n > few) return frequent(n);
  unsigned token = lane < n ? buckets[row * places + lane] : ~0u;
  if (n > 1) token = sort_lanes(token, n);
  __syncwarp();                             // every lane has read the count
  if (lane == 0 && n > 0) counts[row] = 0;  // for the next launch
  for (std::int64_t first = 0; first < width; first += 32 * Each * N) {
    float sum[Each][N] = {};
    add_tokens(sum, dy, token, n, first, width);
    store_sums(sum, dtable + row * width, first, width);
  }
}

// One warp per row. Calls `frequent(row, n)` for rows of more than `few` tokens.
template <class T, int N, class F>
__device__ __forceinline__ void sum_buckets(const T* dy, T* dtable, std::int64_t rows,
                                            std::int64_t width, unsigned* counts,
                                            const unsigned* buckets, F frequent, int few = places) {
  const std::int64_t row = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  sum_bucket<T, N>(
      dy, dtable, row, width, counts, buckets, [&](int n) { frequent(row, n); }, few);
}

// Calls f with the type and, as an integral constant, the elements of a vector: 16 bytes where the rows allow it.
template <class F>
void dispatch_vectors(const Backward& args, F f) {
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    if (args.dtable.shape[1] % N == 0 && all_aligned(16, args.dy.as<T>(), args.dtable.as<T>()))
      f(tag, std::integral_constant<int, N>{});
    else
      f(tag, std::integral_constant<int, 1>{});
  });
}

// Tokens are counted in 32 bits.
inline std::string few_enough(const Backward& args) {
  return args.ids.size() < (std::int64_t(1) << 31) && args.dtable.shape[0] < (std::int64_t(1) << 31)
             ? ""
             : "takes fewer than 2^31 tokens and rows";
}

}  // namespace warpath::embedding
