// cuCtxCreate in CUDA 12's and in CUDA 13's form.
#include <cuda.h>

#include <cstdio>

int main() {
  CUdevice device;
  CUcontext context = nullptr;
  printf("%d %d", cuInit(0), cuDeviceGet(&device, 0));
  printf(" %d", cuCtxCreate(&context, 0, device));
  CUctxCreateParams params = {};
  printf(" %d", cuCtxCreate(&context, &params, 0, device));
  printf(" %d", cuCtxCreate(&context, nullptr, 0, device));
  printf(" %d\n", cuCtxDestroy(context));
}
