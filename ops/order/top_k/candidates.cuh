// What a block does with candidates in shared memory: sort them, find the k-th, write the best.
#pragma once
#include "core/warp/reduce.cuh"
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {

inline constexpr int threads = 256, warps = threads / 32;
inline constexpr int most_k = 2048;

inline std::string few_enough(const Forward& args) {
  return args.k <= most_k ? short_enough(args) : "takes k up to 2048";
}

// The power of two that is not below n and at least 64.
__device__ __forceinline__ int padded(int n) {
  return n <= 64 ? 64 : 1 << (32 - __clz(n - 1));
}

// Bitonic sort, the largest first; `size` is a power of two of 64 or more. A stride of 32 or less keeps a warp inside 64
// elements that no other warp touches: then no barrier of the block is needed.
__device__ __forceinline__ void sort_candidates(Candidate* c, int size) {
  for (int run = 2; run <= size; run *= 2)
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int p = threadIdx.x; p < size / 2; p += threads) {
        const int low = 2 * p - (p & (stride - 1)), high = low + stride;
        const Candidate a = c[low], b = c[high];
        if ((a < b) == ((low & run) == 0)) {
          c[low] = b;
          c[high] = a;
        }
      }
      const int next = stride > 1 ? stride / 2 : run;
      if (stride > 32 || next > 32)
        __syncthreads();
      else
        __syncwarp();
    }
}

struct SelectSlots {
  int histogram[threads];
  int sums[warps];
  Candidate prefix;
  int need, inside;
};

// Radix select: the largest number that k of the n candidates at(0), at(1), … reach, 1 <= k <= n. Eight bits per pass, from the
// top: count how often each digit occurs among the candidates that share the digits found so far, and take the digit in
// which the k-th lies. It ends as soon as all candidates with these digits are among the k. Every thread gets the result.
template <class Source>
__device__ __forceinline__ Candidate kth_largest(Source at, int n, int k, SelectSlots& slots) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Candidate prefix = 0;
  for (int shift = 56;; shift -= 8) {
    slots.histogram[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += threads) {
      const Candidate c = at(i);
      if (shift == 56 || c >> (shift + 8) == prefix)
        atomicAdd(&slots.histogram[c >> shift & 255], 1);
    }
    __syncthreads();
    // Thread t takes the t-th largest digit: how many candidates have that one or a larger one?
    const int digit = 255 - int(threadIdx.x), count = slots.histogram[digit];
    int reached = count;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const int before = __shfl_up_sync(full_mask, reached, offset);
      if (lane >= offset) reached += before;
    }
    if (lane == 31) slots.sums[warp] = reached;
    __syncthreads();
    for (int w = 0; w < warp; ++w) reached += slots.sums[w];
    if (reached >= k && reached - count < k) {
      slots.prefix = prefix << 8 | unsigned(digit);
      slots.need = k - (reached - count);
      slots.inside = count;
    }
    __syncthreads();
    prefix = slots.prefix;
    k = slots.need;
    if (shift == 0 || slots.inside == k) return prefix << shift;
  }
}

// Writes the best k of the `n` candidates in c, which has room for padded(n) of them; n >= k.
template <class T>
__device__ __forceinline__ void write_best(const Call<T>& call, std::int64_t row, Candidate* c,
                                           int n) {
  const int k = int(call.k);
  for (int i = n + int(threadIdx.x); i < padded(n); i += threads) c[i] = 0;
  __syncthreads();
  sort_candidates(c, padded(n));
  if (!call.sorted) {  // the same by column: what is left without the key
    for (int i = threadIdx.x; i < padded(k); i += threads) c[i] = i < k ? c[i] & 0xffffffffu : 0;
    __syncthreads();
    sort_candidates(c, padded(k));
  }
  for (int j = threadIdx.x; j < k; j += threads) call.write(row, j, c[j]);
}

}  // namespace warpath::top_k
