// The host copies the result.
#include <cstdio>

__global__ void fill(int* out) {
  *out = 7;
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  fill<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  int host;
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(out);
}
