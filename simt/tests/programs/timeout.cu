// Kernels that never end, each in another way, under --timeout.
#include <cstdio>

__device__ int flag;

__global__ void counts(int* p) {
  if (blockIdx.x == 1 && threadIdx.x == 2) {
    for (volatile int i = 0;; i = i + 1) *p = i;
  }
}

__global__ void spins() {
  while (atomicAdd(&flag, 0) == 0) {
  }
}

__global__ void meets() {
  for (;;) {
    __syncthreads();
  }
}

__global__ void nothing() {}

__global__ void ends(int* p) {
  *p = 7;
}

template <class Launch>
void run(const char* name, Launch launch) {
  launch();
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s: %s\n", name, cudaGetErrorName(error));
  cudaDeviceReset();
}

int main() {
  int* p;
  cudaMalloc(&p, sizeof(int));
  run("counts", [&] { counts<<<4, 32>>>(p); });
  run("spins", [] { spins<<<8, 32>>>(); });
  run("meets", [] { meets<<<2, 64>>>(); });
  run("nothing, often", [] { nothing<<<2147483647, 1>>>(); });
  cudaMalloc(&p, sizeof(int));
  run("ends", [&] { ends<<<1, 1>>>(p); });
}
