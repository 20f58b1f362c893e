// The sum is read and written in one step.
#include <cstdio>

__global__ void add(const int* in, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

int main() {
  const int n = 256;
  int *in, *sum;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i + 1;
  *sum = 0;
  add<<<4, 64>>>(in, sum, n);
  cudaDeviceSynchronize();
  std::printf("%d\n", *sum);
  cudaFree(in);
  cudaFree(sum);
}
