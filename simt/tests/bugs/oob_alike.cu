// The fourth thread writes one element too far, in a statement like those around it.
#include <cstdio>

__global__ void mark_end(int* row, int n) {
  const int i = threadIdx.x;
  if (i == 0) row[n - 4] = 1;
  if (i == 1) row[n - 3] = 1;
  if (i == 2) row[n - 2] = 1;
  if (i == 3) row[n] = 1;
  if (i == 4) row[n - 5] = 1;
  if (i == 5) row[n - 6] = 1;
}

int main() {
  int* row;
  cudaMalloc(&row, 256 * sizeof(int));
  mark_end<<<1, 32>>>(row, 256);
  cudaDeviceSynchronize();
  cudaFree(row);
}
