// Blocks without work do not come to the grid's barrier, and the others wait for ever.
#include <cooperative_groups.h>

__global__ void phases(int* a, int* b, int n) {
  auto grid = cooperative_groups::this_grid();
  int i = grid.thread_rank();
  if (i >= n) return;
  a[i] = i;
  grid.sync();
  b[i] = a[n - 1 - i];
}

int main() {
  int *a, *b, n = 128;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  void* args[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel(phases, dim3(4), dim3(64), args);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
