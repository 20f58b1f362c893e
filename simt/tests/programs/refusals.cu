// Launches that CUDA refuses, with its codes; none is sticky.
#include <cstdio>

__global__ void nothing() {}
__global__ void uses(int* out) {
  extern __shared__ int s[];
  s[0] = 7;
  *out = s[0];
}

static void show(const char* what) {
  printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()));
}

int main() {
  nothing<<<1, 1025>>>();
  show("1025 threads");
  nothing<<<1, dim3(1, 1, 65)>>>();
  show("z of 65");
  nothing<<<1, dim3(32, 33)>>>();
  show("32 x 33");
  nothing<<<0, 1>>>();
  show("empty grid");
  nothing<<<1, 0>>>();
  show("empty block");
  nothing<<<dim3(1, 65536), 1>>>();
  show("y of 65536");
  nothing<<<1, 1024>>>();
  show("1024 threads");
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  uses<<<1, 1, 48 * 1024 + 1>>>(out);
  show("too much dynamic");
  cudaFuncSetAttribute(uses, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  uses<<<1, 1, 100 * 1024>>>(out);
  show("with the opt-in");
  cudaDeviceSynchronize();
  printf("%d\n", *out);
}
