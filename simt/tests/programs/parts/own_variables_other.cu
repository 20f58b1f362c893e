#include "own_variables.h"

int other_file() {
  const int mine = 3;
  cudaMemcpyToSymbol(scale, &mine, sizeof mine);
  managed = 11;
  use<<<1, 1>>>();
  int total = 0;
  cudaMemcpyFromSymbol(&total, sum, sizeof total);
  return total;
}
