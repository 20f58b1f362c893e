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
  return dim3(grid_x(most[0], block.x), grid_x(most[1], block.y), grid_x(most[2], block.z));
}

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
