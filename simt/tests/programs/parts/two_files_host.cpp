#include <cuda_runtime.h>

int doubled(int x) {
  int device = -1;
  cudaGetDevice(&device);
  return device == 0 ? 2 * x : -1;
}
