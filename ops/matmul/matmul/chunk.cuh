// Sixteen bytes of an operand, the unit in which the tensor core rungs move tiles.
#pragma once
#include "ops/matmul/matmul/layout.cuh"

namespace warpath::matmul {

// What the rungs of the tensor cores say: f32 only where it may be rounded.
inline std::string tensor_cores(const Args& args) {
  if (args.a.dtype == DType::f32 && !args.tf32)
    return "tensor cores round f32 to tf32, which the call does not allow";
  return contiguous_axis(args);
}

// Neighbours in memory from (i, l) on, zeros outside of the matrix.
template <class T, bool AlongK>
__device__ __forceinline__ Vector<T, lanes_of_16<T>> chunk_of(const Operand<T, AlongK>& x,
                                                              std::int64_t i, std::int64_t l) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t left = i >= x.size || l >= x.k ? 0 : AlongK ? x.k - l : x.size - i;
  const T* const from = x.at(i, l);
  if (x.vectors && left >= E) return load<E>(from);
  Vector<T, E> v;
#pragma unroll
  for (int e = 0; e < E; ++e) v.at[e] = e < left ? from[e] : from_float<T>(0.0f);
  return v;
}

}  // namespace warpath::matmul
