// Sixteen bytes per load: the best value of a vector first, its place afterwards.
#pragma once
#include "ops/reduce/argmax/best.cuh"
#include "ops/reduce/split.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::argmax {

inline constexpr int threads = 512, unroll = 8, blocks_an_sm = 2;  // 64 registers per thread

template <class T>
constexpr reduce::Build build{threads, unroll, lanes_of_16<T>, blocks_an_sm};

inline reduce::Build build_of(const Args& args) {
  return args.x.dtype == DType::f32 || args.x.dtype == DType::i32 ? build<float> : build<__half>;
}

// Within a vector only the best value is looked for, at one comparison per element; `at` is then the place of the vector,
// not of the element. Each thread sees its vectors from the front to the back, so a strict comparison keeps the first.
// Where the best value is the least of its type nothing ever wins, and `at` stays nowhere.
template <class T>
struct Vectors {
  using V = reduce::Accumulator<T>;
  using A = Best<V>;
  static constexpr int per_load = lanes_of_16<T>;
  using Chunk = Vector<T, per_load>;
  const T* x;
  std::int64_t first;  // the place of x in its row
  unsigned flip;

  __device__ __forceinline__ A identity() const { return nothing<V>(); }
  __device__ __forceinline__ int past() const {
    return int(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % per_load);
  }
  __device__ __forceinline__ Chunk load(std::int64_t i) const { return load_once<per_load>(x + i); }
  __device__ __forceinline__ A join(A best, const Chunk& in, std::int64_t i) const {
    V value = flipped(reduce::widen(in.at[0]), flip);
#pragma unroll
    for (int e = 1; e < per_load; ++e) value = Max{}(value, flipped(reduce::widen(in.at[e]), flip));
    return wins(value, best.value) ? A{value, first + i} : best;
  }
  __device__ __forceinline__ A join_one(A best, std::int64_t i) const {
    const V value = flipped(reduce::widen(x[i]), flip);
    return wins(value, best.value) ? A{value, first + i} : best;
  }
};

// The place of the element, from that of its vector.
template <class T, class V>
__device__ __forceinline__ std::int64_t place_of(const T* row, std::int64_t cols, unsigned flip,
                                                 Best<V> best) {
  if (best.at == nowhere) return cols > 0 ? 0 : -1;  // all elements are the least value
  for (int e = 0; e < lanes_of_16<T> && best.at + e < cols; ++e) {
    const V value = flipped(reduce::widen(row[best.at + e]), flip);
    if (value == best.value || value != value) return best.at + e;
  }
  return best.at;
}

inline std::string in_rows(const Args& args) {
  return args.x.shape[1] <= 1 || args.x.stride[1] == 1
             ? ""
             : "takes rows whose elements are neighbours in memory";
}

}  // namespace warpath::argmax
