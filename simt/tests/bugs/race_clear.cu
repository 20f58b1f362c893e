// A flag that several threads clear while others read it: all write 0, and who reads it is not ordered.
#include <cstdio>

__global__ void settle(const int* x, int* settled, int* seen) {
  const int i = threadIdx.x;
  if (x[i] > 5) *settled = 0;
  seen[i] = *settled;
}

int main() {
  const int n = 64;
  int *x, *settled, *seen;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&settled, sizeof(int));
  cudaMallocManaged(&seen, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i % 10;
  *settled = 1;
  settle<<<1, n>>>(x, settled, seen);
  cudaDeviceSynchronize();
  std::printf("%d\n", seen[n - 1]);
  cudaFree(x);
  cudaFree(settled);
  cudaFree(seen);
}
