// Sixteen bytes of x and sixteen of y per thread and load: the source that the stretches of dot are summed from.
#pragma once
#include "ops/reduce/dot/pairs.cuh"
#include "ops/reduce/split.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::dot {

// 8 loads in flight per thread as in reduce, 4 of each tensor, and room for them: 80 registers. 96 KiB in flight per SM.
inline constexpr int threads = 256, unroll = 4, blocks_an_sm = 3;

template <class T>
constexpr reduce::Build build{threads, unroll, lanes_of_16<T>, blocks_an_sm};

template <class T>
struct Products {
  using A = float;
  static constexpr int per_load = lanes_of_16<T>;
  struct Chunk {
    Vector<T, per_load> x, y;
  };
  const T *x, *y;

  __device__ __forceinline__ float identity() const { return 0.0f; }
  // Vectors need both tensors at a boundary at once.
  __device__ __forceinline__ int past() const {
    const auto of = [](const T* p) {
      return int(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % per_load);
    };
    return of(x) == of(y) ? of(x) : -1;
  }
  __device__ __forceinline__ Chunk load(std::int64_t i) const {
    return {load_once<per_load>(x + i), load_once<per_load>(y + i)};
  }
  __device__ __forceinline__ float join(float total, const Chunk& in, std::int64_t) const {
#pragma unroll
    for (int e = 0; e < per_load; ++e)
      total = fmaf(to_float(in.x.at[e]), to_float(in.y.at[e]), total);
    return total;
  }
  __device__ __forceinline__ float join_one(float total, std::int64_t i) const {
    return fmaf(to_float(x[i]), to_float(y[i]), total);
  }
};

}  // namespace warpath::dot
