// The driver's results are looked at, the calls succeed, or their failure is said not to matter.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add(float* out, float value) {
  out[threadIdx.x] += value;
}

static void must(CUresult result) {
  const char* name = nullptr;
  if (result != CUDA_SUCCESS && cuGetErrorName(result, &name) == CUDA_SUCCESS) std::puts(name);
}

int main() {
  CUdevice device;
  CUdeviceptr out;
  cudaFunction_t function;
  float value = 1.0f, first = 0;
  cuInit(0);
  must(cuDeviceGet(&device, 1));
  cuDeviceGet(&device, 0);
  cuMemAlloc(&out, 64 * sizeof(float));
  cuMemsetD8(out, 0, 64 * sizeof(float));
  cudaGetFuncBySymbol(&function, add);
  void* args[] = {&out, &value};
  must(cuLaunchKernel((CUfunction)function, 1, 1, 1, 64, 32, 1, 0, nullptr, args, nullptr));
  cuLaunchKernel((CUfunction)function, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr);
  cuStreamQuery(nullptr);
  cuMemcpyDtoH(&first, out, sizeof first);
  std::printf("%g\n", first);
  cuMemFree(out);
  (void)cuDeviceGet(&device, 1);
}
