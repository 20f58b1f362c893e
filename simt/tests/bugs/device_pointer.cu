// The host prints the result without copying it.
#include <cstdio>

__global__ void fill(int* out) {
  *out = 7;
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  fill<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  cudaFree(out);
}
