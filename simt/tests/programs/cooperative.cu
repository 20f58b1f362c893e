// A grid that synchronises as a whole, and one that cannot.
#include <cstdio>

__global__ void phases(int* data, int* bad, int n) {
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) data[blockIdx.x] = k;
    simt::grid_barrier({__FILE__, __LINE__});
    if (data[(blockIdx.x + threadIdx.x) % gridDim.x] != k) atomicAdd(bad, 1);
    simt::grid_barrier({__FILE__, __LINE__});
  }
}

__global__ void leaves() {
  if (blockIdx.x != 1) simt::grid_barrier({__FILE__, __LINE__});
}

int main() {
  int* p;
  cudaMallocManaged(&p, 1024);
  cudaMemset(p, 0, 1024);
  int* bad = p + 100;
  int n = 20;
  void* args[] = {&p, &bad, &n};
  printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void*)phases, 24, 40, args, 0, 0)));
  printf("%s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *bad);
  printf("%s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel((void*)phases, 100000, 40, args, 0, 0)));
  cudaGetLastError();
  cudaLaunchCooperativeKernel(leaves, 4, 32, nullptr);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
