#pragma once

// The checks and the choice of a device of the CUDA samples' helper headers, for programs that came
// without them.

#include <cuda_runtime.h>
#include <helper_string.h>

#include <cstdio>
#include <cstdlib>

namespace simt {

inline const char* code_name(cudaError_t error) {
  return cudaGetErrorName(error);
}
// Codes of the libraries: the number says it.
template <class T>
const char* code_name(T) {
  return "error";
}

}  // namespace simt

template <class T>
void check(T result, const char* call, const char* file, int line) {
  if (static_cast<int>(result) == 0) return;
  std::fprintf(stderr, "CUDA error at %s:%d code=%u(%s) \"%s\" \n", file, line,
               static_cast<unsigned>(result), simt::code_name(result), call);
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line,
               message, static_cast<int>(error), cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)

// Cores of a multiprocessor of the one architecture there is here.
inline int _ConvertSMVer2Cores(int, int) {
  return 128;
}
inline int gpuGetMaxGflopsDeviceId() {
  return 0;
}
inline int findCudaDevice(int, const char**) {
  cudaDeviceProp prop;
  checkCudaErrors(cudaSetDevice(0));
  checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
  std::printf("GPU Device 0: \"%s\" with compute capability %d.%d\n\n", prop.name, prop.major,
              prop.minor);
  return 0;
}
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp prop;
  checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
  return prop.major > major || (prop.major == major && prop.minor >= minor);
}
