// What Python needs of a user's .cu file: for each kernel its types, as the compiler sees them, and a
// launch with an array of arguments; and memory on the device. Compiled behind the user's file, by nvcc
// and by warpath cc, into the library that warpath.load opens.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <string>
#include <type_traits>

#define WARPATH_EXPORT extern "C" __attribute__((visibility("default")))

namespace warpath_kernel {

// "float", "__half", "float4": what stands behind "T = " in the compiler's name of this function.
template <class T>
std::string type_name() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::size_t from = text.find("T = ") + 4;
  const std::size_t semicolon = text.find(';', from);
  return text.substr(from, (semicolon == text.npos ? text.size() - 1 : semicolon) - from);
}

// "f32", "i64", "bool", "void"; empty for anything else: Python knows some more by their names.
template <class T>
std::string code() {
  const std::string bits = std::to_string(8 * [] {
    if constexpr (std::is_void_v<T>)
      return std::size_t{0};
    else
      return sizeof(T);
  }());
  if (std::is_void_v<T>) return "void";
  if (std::is_same_v<T, bool>) return "bool";
  if (std::is_floating_point_v<T>) return "f" + bits;
  if (std::is_integral_v<T>) return (std::is_signed_v<T> ? "i" : "u") + bits;
  return "";
}

template <class P>
std::string parameter() {
  using Value = std::remove_cv_t<std::remove_reference_t<P>>;
  using Element = std::remove_pointer_t<Value>;
  using Plain = std::remove_cv_t<Element>;
  std::size_t bytes = 0;
  if constexpr (!std::is_void_v<Plain>) bytes = sizeof(Plain);
  return R"({"type": ")" + type_name<P>() + R"(", "pointer": )" +
         (std::is_pointer_v<Value> ? "true" : "false") + R"(, "const": )" +
         (std::is_const_v<Element> ? "true" : "false") + R"(, "element": ")" + type_name<Plain>() +
         R"(", "code": ")" + code<Plain>() + R"(", "bytes": )" + std::to_string(bytes) +
         R"(, "reference": )" + (std::is_reference_v<P> ? "true" : "false") + "}";
}

template <class... P>
std::string signature(void (*)(P...)) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + parameter<P>()), ...);
  return "[" + text + "]";
}

// grid and block, three numbers each. Other kernels of the process may have failed before: what is
// answered is this launch's own.
template <class... P>
int launch(void (*kernel)(P...), [[maybe_unused]] const char* name, const unsigned* shape,
           std::size_t shared, void* stream, void** args) {
#ifdef __SIMT_TRANSLATE__
  simt::kernel_handle(kernel, name);  // reports call an instance of a template by its name
#endif
  cudaGetLastError();
  const dim3 grid(shape[0], shape[1], shape[2]), block(shape[3], shape[4], shape[5]);
  if (shared > 48 * 1024) {  // where that is too much, the launch is refused, with the limit
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(std::min<std::size_t>(shared, INT_MAX)));
    cudaGetLastError();
  }
  const cudaError_t error =
      cudaLaunchKernel(kernel, grid, block, args, shared, static_cast<cudaStream_t>(stream));
  cudaGetLastError();
  return error;
}

}  // namespace warpath_kernel

WARPATH_EXPORT int warpath_allocate(std::size_t bytes, void** out) {
  return cudaMalloc(out, bytes);
}
WARPATH_EXPORT int warpath_free(void* data) {
  return cudaFree(data);
}
WARPATH_EXPORT int warpath_copy_in(void* device, const void* host, std::size_t bytes) {
  return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}
WARPATH_EXPORT int warpath_copy_out(void* host, const void* device, std::size_t bytes) {
  return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
}
WARPATH_EXPORT int warpath_finish() {
  const int error = cudaDeviceSynchronize();
  cudaGetLastError();
  return error;
}
// After a fault: simt's device is as new then. Never called on a GPU, where torch shares the context.
WARPATH_EXPORT int warpath_reset() {
  cudaDeviceReset();
  return cudaGetLastError();
}
WARPATH_EXPORT const char* warpath_error_name(int error) {
  return cudaGetErrorName(static_cast<cudaError_t>(error));
}
WARPATH_EXPORT const char* warpath_error_text(int error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}

// One a kernel; `expression` names it, as in `scale<float, 4>`.
#define WARPATH_KERNEL(index, ...)                                                          \
  WARPATH_EXPORT const char* warpath_signature_##index() {                                  \
    static const std::string text = warpath_kernel::signature(&__VA_ARGS__);                \
    return text.c_str();                                                                    \
  }                                                                                         \
  WARPATH_EXPORT int warpath_launch_##index(const unsigned* shape, std::size_t shared,      \
                                            void* stream, void** args) {                    \
    return warpath_kernel::launch(&__VA_ARGS__, #__VA_ARGS__, shape, shared, stream, args); \
  }
