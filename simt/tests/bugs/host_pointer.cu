// A pointer from malloc goes to the kernel.
#include <cstdlib>

__global__ void fill(int* out) {
  out[threadIdx.x] = 1;
}

int main() {
  int* out = static_cast<int*>(malloc(32 * sizeof(int)));
  fill<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  free(out);
}
