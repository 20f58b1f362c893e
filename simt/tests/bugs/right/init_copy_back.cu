// The result is copied to the host when a kernel has made it.
#include <cstdio>

__global__ void fill(int* out) {
  out[threadIdx.x] = 5;
}

int main() {
  int host[32], *out;
  cudaMalloc(&out, sizeof host);
  fill<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  printf("%d\n", host[7]);
}
