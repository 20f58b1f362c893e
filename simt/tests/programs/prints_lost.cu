// What a kernel printed is lost when nothing waits for it before the program ends, as on a GPU; the program is told.
#include <cstdio>

__global__ void hello(const char* when) {
  printf("hello %s\n", when);
}

int main() {
  char *early, *late;
  cudaMallocManaged(&early, 8);
  cudaMallocManaged(&late, 8);
  snprintf(early, 8, "early");
  snprintf(late, 8, "late");
  hello<<<1, 2>>>(early);
  cudaDeviceSynchronize();
  hello<<<1, 2>>>(late);
}
