// A warp's list of the best so far, sorted, and a queue per lane in front of it: both in registers.
#pragma once
#include "core/warp/reduce.cuh"
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {

// Element p of 32 * E is register p / 32 of lane p % 32. Compares p with p ^ stride; the larger one comes first where p has
// no bit of `run`, last where it has.
template <int E>
__device__ __forceinline__ void exchange(Candidate (&c)[E], int run, int stride) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int e = 0; e < E; ++e) {
    const bool descending = ((e * 32 + lane) & run) == 0;
    if (stride < 32) {  // in another lane
      const Candidate other = __shfl_xor_sync(full_mask, c[e], stride);
      const bool first = (lane & stride) == 0;
      c[e] = (other > c[e]) == (first == descending) ? other : c[e];
    } else if ((e * 32 & stride) == 0) {  // in another register of the same lane
      const int far = e + stride / 32;
      const Candidate low = c[e], high = c[far];
      const bool swap = (high > low) == descending;
      c[e] = swap ? high : low;
      c[far] = swap ? low : high;
    }
  }
}

// The largest first.
template <int E>
__device__ __forceinline__ void sort(Candidate (&c)[E]) {
#pragma unroll
  for (int run = 2; run <= 32 * E; run *= 2)
#pragma unroll
    for (int stride = run / 2; stride > 0; stride /= 2) exchange(c, run, stride);
}

// E registers of each lane hold the best, Q registers the queue. k is at most 32 * E. Zero is no candidate.
template <int E, int Q>
struct Queues {
  Candidate best[E] = {}, queue[Q] = {};
  Candidate least = 0;  // the k-th of the list: what is not better need not be looked at
  int waiting = 0, k;

  explicit __device__ __forceinline__ Queues(int k) : k(k) {}

  // A lane whose queue is full loses what came first: call merge_if_full before the next.
  __device__ __forceinline__ void push(Candidate c) {
    if (c <= least) return;
#pragma unroll
    for (int q = Q - 1; q > 0; --q) queue[q] = queue[q - 1];
    queue[0] = c;
    ++waiting;
  }

  // All lanes of the warp.
  __device__ __forceinline__ void merge_if_full() {
    if (__any_sync(full_mask, waiting >= Q)) merge();
  }

  // Of two sorted lists take the larger of the i-th from the front of one and the i-th from the back of the other: these are
  // the best of both, and they rise once and fall once, so a sort needs only its last log2(32 E) steps.
  __device__ __forceinline__ void merge() {
    sort(queue);
#pragma unroll
    for (int e = 0; e < E; ++e)
      if (E - 1 - e < Q) {
        const Candidate back = __shfl_xor_sync(full_mask, queue[E - 1 - e], 31);
        best[e] = back > best[e] ? back : best[e];
      }
#pragma unroll
    for (int stride = 16 * E; stride > 0; stride /= 2) exchange(best, 0, stride);
#pragma unroll
    for (int q = 0; q < Q; ++q) queue[q] = 0;
    waiting = 0;
    // Not best[(k - 1) / 32], nor a comparison for equality, which nvcc makes the same of: an index that is not constant puts
    // the list and the queues into local memory.
    Candidate kth = best[0];
#pragma unroll
    for (int e = 1; e < E; ++e)
      if (k > 32 * e) kth = best[e];
    least = __shfl_sync(full_mask, kth, (k - 1) % 32);
  }
};

}  // namespace warpath::top_k
