// How the tiles of the later rungs lie in memory: along k, or along the rows of d (of a) or its
// columns (of b). A product sees both operands alike: as `outer` x k, where outer is m or n.
#pragma once
#include <type_traits>

#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {

// Which operands may be read 16 bytes at a time.
struct Vectors {
  bool a, b;
};

// One operand as a block sees it: element (i, l) lies at data[i * pitch + l] where it is AlongK, at
// data[l * pitch + i] where it is not.
template <class T, bool AlongK>
struct Operand {
  const T* data;       // of this matrix of the batch
  std::int64_t pitch;  // between rows of memory
  std::int64_t size;   // of the outer axis
  std::int64_t k;
  bool vectors;

  __device__ __forceinline__ const T* at(std::int64_t i, std::int64_t l) const {
    return AlongK ? data + i * pitch + l : data + l * pitch + i;
  }
};

template <bool AlongK, class T>
__device__ __forceinline__ Operand<T, AlongK> operand_a(const Problem<T>& p, Vectors v,
                                                        std::int64_t batch) {
  return {p.a.data + batch * p.a.batch, AlongK ? p.a.row : p.a.col, p.m, p.k, v.a};
}
template <bool AlongK, class T>
__device__ __forceinline__ Operand<T, AlongK> operand_b(const Problem<T>& p, Vectors v,
                                                        std::int64_t batch) {
  return {p.b.data + batch * p.b.batch, AlongK ? p.b.col : p.b.row, p.n, p.k, v.b};
}

// True where neighbours along the axis of `stride` are neighbours in memory. An axis of one element
// has no neighbours, so any stride will do.
inline bool is_unit(const Tensor& t, int axis) {
  return t.stride[static_cast<std::size_t>(axis)] == 1 ||
         t.shape[static_cast<std::size_t>(axis)] <= 1;
}

// Whether a lies along k, and whether b does; in rows a does and b does not.
inline bool a_along_k(const Args& args) {
  return is_unit(args.a, 2);
}
inline bool b_along_k(const Args& args) {
  return !is_unit(args.b, 2);
}

// Every row of memory starts at a multiple of 16 bytes, in every matrix of the batch. `axis` is the
// one that is not contiguous.
inline bool in_vectors(const Tensor& t, int axis) {
  const auto pitch = static_cast<std::size_t>(axis);
  const std::int64_t lanes = 16 / static_cast<std::int64_t>(size_of(t.dtype));
  return t.is_aligned(16) && t.stride[pitch] % lanes == 0 &&
         (t.shape[0] <= 1 || t.stride[0] % lanes == 0);
}
inline Vectors vectors_of(const Args& args) {
  return {in_vectors(args.a, a_along_k(args) ? 1 : 2), in_vectors(args.b, b_along_k(args) ? 2 : 1)};
}

// What the later rungs say to a layout without neighbours.
inline std::string contiguous_axis(const Args& args) {
  if (std::string why = any(args); !why.empty()) return why;
  for (const Tensor* t : {&args.a, &args.b})
    if (!is_unit(*t, 1) && !is_unit(*t, 2))
      return t == &args.a ? "a has neighbours along neither axis"
                          : "b has neighbours along neither axis";
  return {};
}

// What the rungs of plain float arithmetic say to other types.
inline std::string f32_only(const Args& args) {
  if (args.a.dtype != DType::f32) return "multiplies f32 only";
  return contiguous_axis(args);
}

// Calls f(a along k, b along k) with compile-time constants.
template <class F>
void with_form(const Args& args, F&& f) {
  using yes = std::true_type;
  using no = std::false_type;
  const bool a = a_along_k(args), b = b_along_k(args);
  if (a && b) f(yes{}, yes{});
  if (a && !b) f(yes{}, no{});
  if (!a && b) f(no{}, yes{});
  if (!a && !b) f(no{}, no{});
}

}  // namespace warpath::matmul
