// One thread too many: the bounds check is <= instead of <.
#include <cstdio>

__global__ void fill(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;
}

int main() {
  int* out;
  cudaMalloc(&out, 256 * sizeof(int));
  fill<<<2, 256>>>(out, 256);
  cudaDeviceSynchronize();
  cudaFree(out);
}
