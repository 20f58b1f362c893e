// A host program that goes on after a fault and uses the pointer of an allocation that failed: before it ends as such
// programs do, a line says which call gave no memory.
#include <cstdio>

__global__ void faults(int* p) {
  p[threadIdx.x] = 1;
}

int main() {
  faults<<<1, 32>>>(nullptr);
  cudaDeviceSynchronize();
  int* values = nullptr;
  cudaMallocManaged(&values, 100 * sizeof(int));
  for (int i = 0; i < 100; ++i) {
    values[i] = i;
  }
  printf("never %d\n", values[7]);
}
