// Calls of the driver API that fail, and whose result is dropped: the kernel never runs.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add(float* out, float value) {
  out[threadIdx.x] += value;
}

int main() {
  CUdevice device;
  CUdeviceptr out;
  cudaFunction_t function;
  float value = 1.0f, first = 0;
  cuInit(0);
  cuDeviceGet(&device, 1);
  cuMemAlloc(&out, 64 * sizeof(float));
  cuMemsetD8(out, 0, 64 * sizeof(float));
  cudaGetFuncBySymbol(&function, add);
  void* args[] = {&out, &value};
  switch (device) {
    case 0:
      cuLaunchKernel((CUfunction)function, 1, 1, 1, 64, 32, 1, 0, nullptr, args, nullptr);
      break;
    default:
      cuLaunchKernel((CUfunction)function, 1, 0, 1, 64, 1, 1, 0, nullptr, args, nullptr);
  }
  cuLaunchKernel((CUfunction)function, 1, 1, 1, 64, 1, 1, 100000, nullptr, args, nullptr);
  cuLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr);
  cuMemcpyDtoH(&first, out, sizeof first);
  std::printf("%g\n", first);
  cuMemAlloc(&out, 0);
  cudaGetLastError();  // of the runtime: the driver's results are not there
}
