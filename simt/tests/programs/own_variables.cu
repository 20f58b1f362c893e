// Without -rdc=true a file keeps its device variables to itself, so a header may define them.
#include <cstdio>

#include "parts/own_variables.h"

int other_file();
extern __device__ float declared_first[2];
__device__ float declared_first[2];

int main() {
  const int mine = 5;
  cudaMemcpyToSymbol(scale, &mine, sizeof mine);
  managed = 7;
  use<<<1, 1>>>();
  cudaDeviceSynchronize();
  int total = 0;
  cudaMemcpyFromSymbol(&total, sum, sizeof total);
  printf("%d %d\n", total, other_file());
}
