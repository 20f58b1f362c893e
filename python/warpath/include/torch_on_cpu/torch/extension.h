// Stands before torch's own torch/extension.h where an extension is built without a GPU: what extensions
// use of it, read as the plain C++ it is here (kernels run on the CPU too), in half the time. An extension
// that uses more of the C++ frontend (torch::nn and so on) is built with WARPATH_WHOLE_TORCH.
#pragma once

#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#include <Python.h>
#ifdef WARPATH_WHOLE_TORCH
#include <torch/all.h>
#include <torch/python.h>
#else
#include <torch/types.h>

#include <torch/csrc/utils/pybind.h>
#endif
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDA_ARCH__")

// What those headers have for nvcc alone.
namespace at {
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};
}  // namespace at

// The device is this CPU: what asks for tensors there asks for CPU tensors.
#define is_cuda() is_cpu()
#define kCUDA kCPU
