// What the generated launcher of a plain kernel is made of: a learner's `__global__ void add(const float* a, …)` that
// registers no rung. cli/plain_kernel.cpp writes the launcher; it knows the args struct by the offsets of the contract.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "core/host/error.h"
#include "core/host/launch.h"
#include "core/host/rung.h"

namespace warpath::plain {

template <class T>
const T& member(const void* args, std::size_t offset) {
  return *reinterpret_cast<const T*>(static_cast<const char*>(args) + offset);
}

// The size of a dimension, from the first tensor that is there; -1 where none is.
struct Axis {
  const Tensor& tensor;
  int axis;
  std::int64_t plus;
};
inline std::int64_t size_of_dim(std::initializer_list<Axis> axes) {
  for (const Axis& a : axes)
    if (a.tensor.rank > a.axis) return a.tensor.shape[static_cast<std::size_t>(a.axis)] - a.plus;
  return -1;
}

inline void check_launch(const char* what, const char* place) {
  if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess)
    detail::throw_cuda(cudaGetErrorName(e), cudaGetErrorString(e), what, place);
}

// Blocks enough for every element of the largest tensor. Blocks with one axis count elements; blocks
// with more take the last axis as x, the one before it as y, and all the others as z.
inline dim3 covering(dim3 block, std::initializer_list<const Tensor*> tensors) {
  std::int64_t most[3] = {1, 1, 1};
  const bool flat = block.y == 1 && block.z == 1;
  for (const Tensor* t : tensors) {
    std::int64_t here[3] = {1, 1, 1};
    for (int i = 0; i < t->rank; ++i)
      here[flat ? 0 : std::min(2, t->rank - 1 - i)] *= t->shape[static_cast<std::size_t>(i)];
    for (int axis = 0; axis < 3; ++axis) most[axis] = std::max(most[axis], here[axis]);
  }
  // An axis of no threads is the launch's to refuse, not a division's.
  const auto blocks = [](std::int64_t n, unsigned threads) {
    return grid_x(n, std::max(threads, 1u));
  };
  return dim3(blocks(most[0], block.x), blocks(most[1], block.y), blocks(most[2], block.z));
}

// For a kernel that writes every element once: in more than one axis, threads beyond the result would all walk the long
// axis of a product. An input with as many elements counts too, for a kernel that takes its place from there.
inline dim3 covering(dim3 block, std::initializer_list<const Tensor*> inputs,
                     std::initializer_list<const Tensor*> outputs) {
  dim3 grid = covering(block, outputs);
  const bool flat = block.y == 1 && block.z == 1;
  const bool rows =
      std::any_of(outputs.begin(), outputs.end(), [](const Tensor* t) { return t->rank >= 2; });
  for (const Tensor* t : inputs) {
    const auto same_size = [&](const Tensor* o) { return o->size() == t->size(); };
    if (!flat && rows && std::none_of(outputs.begin(), outputs.end(), same_size)) continue;
    const dim3 here = covering(block, {t});
    grid = dim3(std::max(grid.x, here.x), std::max(grid.y, here.y), std::max(grid.z, here.z));
  }
  return grid;
}

template <class T>
__global__ void widen(const T* from, std::int64_t* to, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

// An output of 64 bits for a kernel that writes 32: memory of its own, copied to the output after the launch.
template <class T>
class Narrow {
 public:
  Narrow(const Tensor& wide, bool zero, cudaStream_t stream) : wide_(wide), stream_(stream) {
    void* memory = nullptr;
    CUDA_CHECK(cudaMallocAsync(&memory, bytes(), stream));
    data_ = static_cast<T*>(memory);
#ifdef __SANITIZE_THREAD__
    if (!zero) return;  // the checks tell of what was never written
#endif
    CUDA_CHECK(cudaMemsetAsync(data_, zero ? 0 : 0xa5, bytes(), stream));
  }
  ~Narrow() {
    cudaFreeAsync(data_, stream_);
  }
  Narrow(const Narrow&) = delete;
  Narrow& operator=(const Narrow&) = delete;

  T* data() const {
    return data_;
  }

  void widen() const {
    plain::widen<<<grid_x(wide_.size(), 256), 256, 0, stream_>>>(data_, wide_.as<std::int64_t>(),
                                                                 wide_.size());
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  std::size_t bytes() const {
    return static_cast<std::size_t>(wide_.size()) * sizeof(T);
  }

  const Tensor& wide_;
  cudaStream_t stream_;
  T* data_ = nullptr;
};

using Supports = std::string (*)(const void*);
using Launch = void (*)(const void*, cudaStream_t);

struct Registrar {
  Registrar(const char* op, const char* file, Supports supports, Launch launch,
            bool deterministic) {
    warpath::detail::RungEntry e = {};
    e.op = op;
    e.file = file;
    e.launch = warpath::detail::erased(launch);
    e.supports = warpath::detail::erased(supports);
    e.call = [](warpath::detail::AnyFunction f, const void* args, cudaStream_t stream) {
      reinterpret_cast<Launch>(f)(args, stream);
    };
    e.ask = [](warpath::detail::AnyFunction f, const void* args) {
      return reinterpret_cast<Supports>(f)(args);
    };
    e.deterministic = deterministic;
    e.note = "";
    warpath::detail::add_rung(e);
  }
};

}  // namespace warpath::plain
