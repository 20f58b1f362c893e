// Views of tensors: other shapes and strides on the same memory.
#pragma once
#include <initializer_list>
#include <vector>

#include "core/host/error.h"
#include "core/host/tensor.h"

namespace warpath::models {

inline Tensor tensor(void* data, DType dtype, std::initializer_list<std::int64_t> shape) {
  WARPATH_CHECK(shape.size() <= max_rank, "a tensor has too many axes");
  Tensor t;
  t.data = data;
  t.dtype = dtype;
  t.rank = static_cast<int>(shape.size());
  int axis = 0;
  for (const std::int64_t n : shape) t.shape[axis++] = n;
  std::int64_t stride = 1;
  for (int i = t.rank - 1; i >= 0; --i) {
    t.stride[i] = stride;
    stride *= t.shape[i];
  }
  return t;
}

// The same elements in another contiguous shape.
inline Tensor reshaped(const Tensor& t, std::initializer_list<std::int64_t> shape) {
  const Tensor view = tensor(t.data, t.dtype, shape);
  WARPATH_CHECK(t.is_contiguous() && view.size() == t.size(), "a view needs the same elements");
  return view;
}

inline Tensor flat(const Tensor& t) {
  return reshaped(t, {t.size()});
}

inline void* advanced(const Tensor& t, std::int64_t elements) {
  return static_cast<char*>(t.data) + elements * static_cast<std::int64_t>(size_of(t.dtype));
}

// Rows [first, first + count) of the outermost axis.
inline Tensor rows(const Tensor& t, std::int64_t first, std::int64_t count) {
  WARPATH_CHECK(first >= 0 && first + count <= t.shape[0], "rows outside of the tensor");
  Tensor view = t;
  view.data = advanced(t, first * t.stride[0]);
  view.shape[0] = count;
  return view;
}

// Columns [first, first + count) of a (rows, columns) tensor.
inline Tensor columns(const Tensor& t, std::int64_t first, std::int64_t count) {
  WARPATH_CHECK(t.rank == 2 && first >= 0 && first + count <= t.shape[1], "columns outside of it");
  Tensor view = t;
  view.data = advanced(t, first * t.stride[1]);
  view.shape[1] = count;
  return view;
}

// (rows, columns) tensors, or vectors, that lie one behind the other in memory as one; none where they do not.
inline Tensor stacked(const std::vector<Tensor>& parts) {
  Tensor all = parts.at(0);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Tensor& t = parts[i];
    if (!t.is_contiguous() || !all.is_contiguous() || t.data != advanced(all, all.size()) ||
        t.dtype != all.dtype || t.rank != all.rank || (t.rank == 2 && t.shape[1] != all.shape[1]))
      return {};
    all.shape[0] += t.shape[0];
  }
  return all;
}

// A (rows, columns) tensor as matmul takes it: a batch of one.
inline Tensor matrix(const Tensor& t) {
  WARPATH_CHECK(t.rank == 2, "a matrix has two axes");
  Tensor view = t;
  view.rank = 3;
  view.shape = {1, t.shape[0], t.shape[1]};
  view.stride = {t.shape[0] * t.stride[0], t.stride[0], t.stride[1]};
  return view;
}

inline Tensor transposed(const Tensor& t) {
  Tensor view = matrix(t);
  std::swap(view.shape[1], view.shape[2]);
  std::swap(view.stride[1], view.stride[2]);
  return view;
}

// Columns [first, first + heads * dim) of a (batch * sequence, columns) tensor as the heads of attention.
inline Tensor heads(const Tensor& t, std::int64_t first, std::int64_t batch, std::int64_t sequence,
                    std::int64_t heads, std::int64_t dim) {
  WARPATH_CHECK(t.rank == 2 && t.shape[0] == batch * sequence && first + heads * dim <= t.shape[1],
                "heads outside of the tensor");
  Tensor view;
  view.data = advanced(t, first);
  view.dtype = t.dtype;
  view.rank = 4;
  view.shape = {batch, sequence, heads, dim};
  view.stride = {sequence * t.stride[0], t.stride[0], dim, 1};
  return view;
}

}  // namespace warpath::models
