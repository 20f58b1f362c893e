// A bad address ends the kernel, not the program; the error sticks until the device is reset.
#include <csignal>
#include <cstdio>
#include <cstdlib>

__global__ void write(int* p) {
  __syncthreads();
  if (threadIdx.x == 5 && blockIdx.x == 2) *p = 1;
}
__global__ void ok(int* p) {
  *p = 3;
}

__device__ __noinline__ int deep(volatile int* p, int n) {
  volatile int a[64];
  a[n % 64] = n;
  return n == 0 ? *p : deep(p, n - 1) + a[n % 64];
}
__global__ void overflow(int* p) {
  *p = deep(p, 1 << 20);
}

static void host_handler(int) {
  puts("host handler");
  fflush(stdout);
  _Exit(7);
}

int main() {
  signal(SIGSEGV, host_handler);
  write<<<4, 32>>>(nullptr);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int* p = nullptr;
  printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
  write<<<1, 1>>>(nullptr);
  printf("next launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  cudaDeviceReset();
  cudaMallocManaged(&p, 4);
  ok<<<1, 1>>>(p);
  printf("after a reset: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  printf(" %d\n", *p);
  overflow<<<1, 1>>>(p);
  printf("overflow: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  *static_cast<volatile int*>(nullptr) = 1;
}
