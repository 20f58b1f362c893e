// What the extension asks of a device, compiled for each backend as the kernels are: the extension
// itself is linked with neither runtime.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>

#define WARPATH_EXPORT extern "C" __attribute__((visibility("default")))

// 90 for sm_90; 0 when there is no such device.
WARPATH_EXPORT int warpath_arch(int device) {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return 0;
  return major * 10 + minor;
}

// How many devices this process sees; that never changes.
WARPATH_EXPORT int warpath_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

// Waits for all work; null, or the error's name and its text. A fault is sticky on simt's device, so
// the device is reset and the next call starts clean. Not for a GPU, whose context is torch's too.
WARPATH_EXPORT const char* warpath_recover(const char** text) {
  const cudaError_t fault = cudaDeviceSynchronize();
  const cudaError_t earlier = cudaGetLastError();  // of a launch that was refused, say
  const cudaError_t error = fault != cudaSuccess ? fault : earlier;
  if (error == cudaSuccess) return nullptr;
  *text = cudaGetErrorString(error);
  cudaDeviceReset();
  cudaGetLastError();
  return cudaGetErrorName(error);
}

// Clears memory in the order of the stream; null, or what went wrong.
WARPATH_EXPORT const char* warpath_zero(void* data, std::int64_t bytes, void* stream) {
  const cudaError_t error =
      cudaMemsetAsync(data, 0, static_cast<std::size_t>(bytes), static_cast<cudaStream_t>(stream));
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

// Memory of the host that calls such as cudaMemsetAsync are to take as the device's, until it is taken back. Kernels of
// simt take any.
WARPATH_EXPORT bool warpath_lend(void* data, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (cudaHostRegister(data, size, cudaHostRegisterDefault) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}
WARPATH_EXPORT void warpath_take_back(void* data) {
  cudaHostUnregister(data);
}

// As many parameters as a small op has.
__global__ void nothing(const float*, const float*, float*, long long) {}

// Launches `count` empty kernels on a stream and gives the host time of each; waits after every `together` of them,
// outside the timed part. Null, or what went wrong.
WARPATH_EXPORT const char* warpath_bare_launches(void* stream, int count, int together,
                                                 double* microseconds) {
  using Clock = std::chrono::steady_clock;
  const auto on = static_cast<cudaStream_t>(stream);
  for (int i = 0; i < count; ++i) {
    const Clock::time_point begin = Clock::now();
    nothing<<<1, 256, 0, on>>>(nullptr, nullptr, nullptr, i);
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    microseconds[i] = took.count();
    if (i % together != together - 1) continue;
    if (const cudaError_t error = cudaStreamSynchronize(on)) return cudaGetErrorString(error);
  }
  const cudaError_t error = cudaStreamSynchronize(on);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) return cudaGetErrorString(launched);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
