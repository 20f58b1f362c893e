// Recursion without end, in small steps and in steps larger than a page: the kernel ends with an error,
// and a device that was reset works again.
#include <cstdio>

template <int Words>
__device__ int deeper(int n, int* p) {
  int local[Words];
  local[n % Words] = p[n & 63];
  p[n & 63] = local[n % Words] + 1;
  if (p[0] < 0) return 0;
  return deeper<Words>(n + 1, p) + local[(n + 1) % Words];
}

template <int Words>
__global__ void recurse(int* p) {
  p[1] = deeper<Words>(0, p);
}

template <int Words>
void run() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 0, 64 * sizeof(int));
  recurse<Words><<<1, 1>>>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run<7>();
  run<5000>();
  run<20000>();
}
