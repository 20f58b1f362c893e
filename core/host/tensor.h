// A tensor as a launcher sees it: a pointer, a type, a shape. It owns nothing.
#pragma once
#include <array>
#include <cstdint>

#include "core/host/dtype.h"

namespace warpath {

inline constexpr int max_rank = 6;

struct Tensor {
  void* data = nullptr;
  DType dtype = DType::f32;
  int rank = 0;
  std::array<std::int64_t, max_rank> shape{};
  std::array<std::int64_t, max_rank> stride{};  // in elements

  std::int64_t size() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= shape[i];
    return n;
  }
  std::int64_t bytes() const { return size() * static_cast<std::int64_t>(size_of(dtype)); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }

  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (int i = rank - 1; i >= 0; --i) {
      if (shape[i] != 1 && stride[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }
  // True when the data starts at a multiple of `n` bytes: what a vector load needs.
  bool is_aligned(std::size_t n) const { return reinterpret_cast<std::uintptr_t>(data) % n == 0; }
};

// Tensors of different sizes, each seen as one axis. It owns nothing: the caller keeps the tensors until the launcher
// returns. Of an optional list that is left out, `at` is null.
struct TensorList {
  const Tensor* at = nullptr;
  std::int64_t count = 0;

  const Tensor& operator[](std::int64_t i) const { return at[i]; }
  const Tensor* begin() const { return at; }
  const Tensor* end() const { return at + count; }
  // Elements of all tensors.
  std::int64_t size() const {
    std::int64_t n = 0;
    for (const Tensor& t : *this) n += t.size();
    return n;
  }
  std::int64_t bytes() const {
    std::int64_t n = 0;
    for (const Tensor& t : *this) n += t.bytes();
    return n;
  }
};

// Device memory a rung asked for at registration. What it holds at a launch is undefined, except
// for the leading bytes that the rung registered as .zeroed: they were zero at the first launch,
// and only the rung itself writes to them.
struct Scratch {
  void* data = nullptr;
  std::int64_t bytes = 0;
};

}  // namespace warpath
