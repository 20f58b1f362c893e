// A stretch of a row, read once: what might be among the best k stays in shared memory.
#pragma once
#include "core/thread/vector.cuh"
#include "ops/order/top_k/candidates.cuh"

namespace warpath::top_k {

inline constexpr int room = 4096;  // candidates
inline constexpr int guessed_k =
    128;  // up to which the first threshold comes from the threads' maxima

struct FilterSlots {
  Candidate held[room];
  SelectSlots select;
  float maxima[threads];
  int count;
  unsigned threshold;
};

inline constexpr int each = 32;  // elements that a thread has in flight: 128 bytes of f32
inline constexpr int chunk = threads * each;

// A float that compares as keys do, except for NaN: with `flip`, larger is smaller.
__device__ __forceinline__ float ranked(float x, unsigned flip) {
  return __uint_as_float(__float_as_uint(x) ^ (flip & 0x80000000u));
}
// The other way from a key; NaN for the keys that no number has.
__device__ __forceinline__ float ranked_of_key(unsigned key, unsigned flip) {
  key ^= flip;
  return ranked(__uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key), flip);
}

struct Filter {
  __device__ __forceinline__ Filter(FilterSlots& slots, int k, unsigned flip)
      : slots_(slots), k_(k), flip_(flip) {
    if (threadIdx.x == 0) slots.count = 0;
    __syncthreads();
  }

  __device__ __forceinline__ int count() const { return count_; }

  // Columns begin to end, chunk by chunk; x + begin is aligned to N elements, and N divides end - begin.
  template <int N, class T>
  __device__ __forceinline__ void read(const T* x, unsigned begin, unsigned end) {
    constexpr int vectors = each / N;
    for (unsigned first = begin; first < end; first += chunk) {
      Vector<T, N> v[vectors];
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        const unsigned c = first + (i * threads + threadIdx.x) * N;
        if (c < end) v[i] = load<N>(x + c);
      }
      if (first == begin && k_ <= guessed_k && end - begin > room / 2) guess(v, first, end);
      add_all(v, first, end);
      __syncthreads();
      const int now = slots_.count;
      __syncthreads();
      if (now > room)
        add_slowly<N>(x, first, end);
      else
        count_ = now;
      if (count_ > room / 2 && count_ > 2 * k_) shrink();
    }
  }

  // Candidates from elsewhere; zeros are none.
  __device__ __forceinline__ void read(const Candidate* from, int n, Candidate least) {
    constexpr int loads = 4;
    for (int first = 0; first < n; first += loads * threads) {
      Candidate c[loads];
#pragma unroll
      for (int i = 0; i < loads; ++i) {
        const int at = first + i * threads + int(threadIdx.x);
        c[i] = at < n ? from[at] : 0;
      }
      make_room(loads * threads);
#pragma unroll
      for (int i = 0; i < loads; ++i)
        if (c[i] != 0 && c[i] >= least) push(c[i]);
      settle();
    }
  }

  // Keeps the best k, where there are more. Returns a number that all k reach and no other, zero where there are not more.
  __device__ __forceinline__ Candidate shrink() {
    if (count_ <= k_) return 0;
    const Candidate least =
        kth_largest([&](int i) { return slots_.held[i]; }, count_, k_, slots_.select);
    if (threadIdx.x == 0) slots_.count = 0;
    for (int first = 0; first < count_; first += threads) {
      const int i = first + int(threadIdx.x);
      const Candidate c = i < count_ ? slots_.held[i] : 0;
      __syncthreads();  // places up to this tile's last are free
      if (i < count_ && c >= least) slots_.held[atomicAdd(&slots_.count, 1)] = c;
    }
    __syncthreads();
    count_ = k_;
    // What comes later has a higher column: an equal key is not enough.
    least_ = unsigned(least >> 32) + (unsigned(least >> 32) != ~0u);
    return least;
  }

 private:
  // A first threshold. Of each thread's elements take the best: the k-th of these is reached by k elements at least.
  template <class T, int N, int V>
  __device__ __forceinline__ void guess(const Vector<T, N> (&v)[V], unsigned first, unsigned end) {
    float best = -INFINITY;
#pragma unroll
    for (int i = 0; i < V; ++i)
      if (first + (i * threads + threadIdx.x) * N < end)
#pragma unroll
        for (int n = 0; n < N; ++n) best = fmaxf(best, ranked(to_float(v[i].at[n]), flip_));
    slots_.maxima[threadIdx.x] = best;
    if (threadIdx.x == 0) slots_.threshold = ~0u;
    __syncthreads();
    int better = 0;
    for (int t = 0; t < threads; t += 4) {
      const Vector<float, 4> four = load<4>(slots_.maxima + t);
#pragma unroll
      for (int n = 0; n < 4; ++n) better += four.at[n] > best;
    }
    if (better < k_) atomicMin(&slots_.threshold, key_of(best, 0));
    __syncthreads();
    // A maximum of -inf may be that of no element or of NaNs: no threshold. Others are keys of elements.
    const unsigned found = slots_.threshold;
    if (found > key_of(-INFINITY, 0))
      least_ = key_of(ranked(ranked_of_key(found, 0), flip_), flip_);
  }

  __device__ __forceinline__ void push(Candidate c) {
    const int place = atomicAdd(&slots_.count, 1);
    if (place < room) slots_.held[place] = c;
  }

  // The comparison as floats is one instruction. It lets NaN pass; the key decides.
  template <int N, class T>
  __device__ __forceinline__ void add(const Vector<T, N>& v, unsigned column, float low) {
    bool some = false;
#pragma unroll
    for (int n = 0; n < N; ++n) some |= !(ranked(to_float(v.at[n]), flip_) < low);
    if (!some) return;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const unsigned key = key_of(v.at[n], flip_);
      if (key >= least_) push(candidate(key, column + n));
    }
  }

  template <class T, int N, int V>
  __device__ __forceinline__ void add_all(const Vector<T, N> (&v)[V], unsigned first,
                                          unsigned end) {
    const float low = ranked_of_key(least_, flip_);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const unsigned c = first + (i * threads + threadIdx.x) * N;
      if (c < end) add(v[i], c, low);
    }
  }

  // The same after too many have passed: vector by vector, with a new threshold whenever they might not fit. The columns of
  // a vector are above those of the one before it, as shrink() demands. The chunk is read again, from L2: to keep it would
  // take its registers throughout the selection.
  template <int N, class T>
  __device__ __forceinline__ void add_slowly(const T* x, unsigned first, unsigned end) {
    if (threadIdx.x == 0) slots_.count = count_;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < each / N; ++i) {
      make_room(threads * N);
      const unsigned c = first + (i * threads + threadIdx.x) * N;
      if (c < end) add(load<N>(x + c), c, ranked_of_key(least_, flip_));
      settle();
    }
  }

  __device__ __forceinline__ void make_room(int n) {
    if (count_ + n > room) shrink();
  }
  __device__ __forceinline__ void settle() {
    __syncthreads();
    count_ = slots_.count;
    __syncthreads();
  }

  FilterSlots& slots_;
  int k_;
  unsigned flip_;
  unsigned least_ = 0;  // a key below it cannot be among the best k
  int count_ = 0;
};

}  // namespace warpath::top_k
