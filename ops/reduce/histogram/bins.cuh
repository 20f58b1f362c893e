// What the rungs of histogram share: an element's bin, and how counts reach y.
#pragma once
#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "core/warp/reduce.cuh"
#include "ops/reduce/histogram/histogram.h"

namespace warpath::histogram {

using Count = unsigned long long;  // as atomicAdd wants an i64

// Kernels that know the spacing when they are compiled say so by S.
template <Spacing S = Spacing::any>
class Bins {
 public:
  int bins;

  // Reads the edges: to be called by the kernel.
  __device__ __forceinline__ Bins(const float* edges, int bins, Spacing spacing = S)
      : bins(bins), edges_(spacing == Spacing::any ? edges : nullptr) {
    first_ = edges[0];
    last_ = edges[bins];
    scale_ = last_ > first_ ? float(bins) / (last_ - first_) : 0.0f;
  }

  // -1: in none.
  template <class T>
  __device__ __forceinline__ int of(T element) const {
    const float x = float(element);
    if (!(x >= first_ && x <= last_)) return -1;
    if (S == Spacing::uniform || !edges_) return min(int((x - first_) * scale_), bins - 1);
    int below = 0, above = bins;  // edges[below] <= x; the edge `above` is past x, or the last one
    while (above - below > 1) {
      const int middle = (below + above) / 2;
      if (edges_[middle] <= x)
        below = middle;
      else
        above = middle;
    }
    return below;
  }

 private:
  const float* edges_;
  float first_, last_, scale_;
};

// Sixteen bytes of elements as they come from memory; zeros where `there` is false.
__device__ __forceinline__ uint4 load_16(const void* p, bool there) {
  return there ? __ldcs(static_cast<const uint4*>(p)) : uint4{};
}
template <class T>
__device__ __forceinline__ T element_of(const uint4& from, int e) {
  const unsigned words[4] = {from.x, from.y, from.z, from.w};
  const unsigned word = words[e * int(sizeof(T)) / 4];
  if constexpr (sizeof(T) == 1)
    return T(word >> e % 4 * 8);
  else if constexpr (std::is_same_v<T, float>)
    return __uint_as_float(word);
  else
    return T(word);
}

// Elements before the first 16-byte boundary, then whole vectors, then what is left over.
template <class T>
struct Cut {
  static constexpr int per_load = lanes_of_16<T>;
  std::int64_t head, vectors;

  __device__ __forceinline__ Cut(const T* x, std::int64_t n) {
    const int past = int(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % per_load);
    head = past == 0 ? 0 : min(std::int64_t(per_load - past), n);
    vectors = (n - head) / per_load;
  }
  // f(element) for those that no vector holds: less than two vectors.
  template <class F>
  __device__ __forceinline__ void for_the_rest(const T* x, std::int64_t n, F&& f) const {
    if (threadIdx.x < head) f(x[threadIdx.x]);
    const std::int64_t tail = head + vectors * per_load + threadIdx.x;
    if (tail < n) f(x[tail]);
  }
};

// Adds the counts of a block to y.
__device__ __forceinline__ void add_counts(const unsigned* counts, Count* y, int bins) {
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (counts[b] > 0) atomicAdd(&y[b], Count(counts[b]));
}

template <class F>
void dispatch_type(const Args& args, F&& f) {
  dispatch<float, int, unsigned char>(args.x.dtype, f);
}

inline int bins_of(const Args& args) {
  return int(args.y.size());
}

template <class C>
__global__ void clear_counts(C* y, int bins) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < bins) y[b] = 0;
}
// By a kernel: on the CPU, y may be memory that the runtime did not allocate.
inline void clear(const Args& args, cudaStream_t stream) {
  clear_counts<<<grid_x(bins_of(args), 256), 256, 0, stream>>>(args.y.as<Count>(), bins_of(args));
}

// For .supports: the counts of a block in shared memory, and what else it keeps there.
inline std::string bins_fit(const Args& args, std::int64_t copies) {
  return enough_shared_memory(std::size_t(args.y.size() * copies * 4));
}

}  // namespace warpath::histogram
