// Rungs of the library among the kernels whose counts are held to the hardware's. Each file of rungs/ includes one
// rung and says how to launch it.
#pragma once
#include <cuda_runtime.h>

#include <initializer_list>

#include "core/host/tensor.h"

namespace xray_tests {

using Launch = void (*)(float* x, float* y);

// Launches the registered rungs by name. x and y: device memory of `size` floats each.
void launch_rungs(float* x, float* y, int size);

struct Registered {
  Registered(const char* name, Launch launch);
};

inline warpath::Tensor floats(float* data, std::initializer_list<std::int64_t> shape) {
  warpath::Tensor t;
  t.data = data;
  t.dtype = warpath::DType::f32;
  t.rank = static_cast<int>(shape.size());
  int axis = 0;
  for (const std::int64_t extent : shape) t.shape[axis++] = extent;
  std::int64_t stride = 1;
  for (int i = t.rank - 1; i >= 0; --i) {
    t.stride[i] = stride;
    stride *= t.shape[i];
  }
  return t;
}

}  // namespace xray_tests
