// Device text comes in block order, when the host synchronises.
#include <cstdio>
#include <string>

__device__ void hello(int i) {
  printf("hello from %d.%d\n", blockIdx.x, i);
}

__global__ void greet() {
  hello(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) std::printf("%s of block %d has %.1f%% %c\n", "all", blockIdx.x, 99.5, '!');
}

__global__ void lengthy(const char* text) {
  ::printf("%s|\n", text);
}

int main() {
  greet<<<3, 2>>>();
  printf("host before\n");
  cudaDeviceSynchronize();
  printf("host after\n");
  static std::string text(1000, 'x');
  lengthy<<<1, 1>>>(text.c_str());
  greet<<<1, 1>>>();
  cudaDeviceSynchronize();
}
