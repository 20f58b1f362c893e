// A macro of the usual kind.
#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                        \
  do {                                                     \
    cudaError_t status = call;                             \
    if (status != cudaSuccess) {                           \
      fprintf(stderr, "%s\n", cudaGetErrorString(status)); \
      exit(1);                                             \
    }                                                      \
  } while (0)
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))
__global__ void k(int* out) {
  *out = CEIL_DIV(7, 2);
}
int main() {
  int* p;
  CHECK(cudaMalloc(&p, 4));
  k<<<1, 1>>>(p);
  CHECK(cudaDeviceSynchronize());
}
