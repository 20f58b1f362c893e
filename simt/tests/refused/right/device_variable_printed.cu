// A copy of it.
#include <cstdio>
__device__ int counter;
__global__ void k() {
  printf("%d\n", counter);
}
int main() {
  int copy;
  cudaMemcpyFromSymbol(&copy, counter, sizeof copy);
  printf("%d\n", copy);
}
