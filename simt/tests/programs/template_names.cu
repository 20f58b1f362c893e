// The names of kernels that are instances of templates, where the launch does not write them.
#include <cuda_runtime.h>

#include <cstdio>

namespace warp {
namespace {
template <class T, int N>
__global__ void scaled(T* x) {
  x[threadIdx.x] *= N;
}
}  // namespace
template <class T>
__global__ void with_function(T (*)(T), T* x) {
  x[threadIdx.x] += 1;
}
}  // namespace warp

template <class F>
__global__ void of_function(F*, float* x) {
  x[threadIdx.x] = 2;
}

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 2048;  // more than a block may have: the message names the kernel
  std::printf("%d", cudaLaunchKernelEx(&config, warp::scaled<float, 3>, x));
  std::printf(" %d", cudaLaunchKernelEx(&config, warp::with_function<float>, nullptr, x));
  std::printf(" %d", cudaLaunchKernelEx(&config, of_function<void(int)>, nullptr, x));
  void* args[] = {&x};
  std::printf(" %d\n", cudaLaunchKernel((const void*)warp::scaled<float, 5>, 1, 2048, args, 0, 0));
}
