// Threads of one block that wait for each other by spinning.
#include <cstdio>

__global__ void lock(int* mutex, int* count) {
  for (int k = 0; k < 5; ++k) {
    bool done = false;
    while (!done) {
      if (atomicCAS(mutex, 0, 1) == 0) {
        int c = *static_cast<volatile int*>(count);
        __nanosleep(20);
        *static_cast<volatile int*>(count) = c + 1;
        __threadfence();
        atomicExch(mutex, 0);
        done = true;
      }
    }
  }
}

__global__ void chain(int* flags) {
  // The last thread starts; each waits for its successor.
  const int i = threadIdx.x;
  if (i < static_cast<int>(blockDim.x) - 1) {
    while (atomicAdd(&flags[i + 1], 0) == 0) {
    }
  }
  atomicExch(&flags[i], 1);
}

__global__ void fence_chain(volatile int* flags) {
  const int i = threadIdx.x;
  if (i < static_cast<int>(blockDim.x) - 1) {
    while (flags[i + 1] == 0) __threadfence();
  }
  flags[i] = 1;
}

__global__ void timer(int* out) {
  if (threadIdx.x == 0) {
    long long start = clock64();
    while (*static_cast<volatile int*>(out) == 0 && clock64() - start < 1000000000ll) {
    }
    out[1] = *static_cast<volatile int*>(out);
  } else {
    *static_cast<volatile int*>(out) = 5;
  }
}

// Blocks that wait for the one before, as a scan with look-back does.
__global__ void blocks_in_order(int* flags) {
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {
      }
    }
    atomicExch(&flags[blockIdx.x], 1);
  }
  __syncthreads();
}

int main() {
  int* p;
  cudaMallocManaged(&p, 2048 * sizeof(int));
  cudaMemset(p, 0, 2048 * sizeof(int));
  lock<<<4, 64>>>(p, p + 1);
  cudaDeviceSynchronize();
  printf("%d\n", p[1]);
  cudaMemset(p, 0, 2048 * sizeof(int));
  chain<<<1, 1024>>>(p);
  cudaDeviceSynchronize();
  printf("%d\n", p[0]);
  cudaMemset(p, 0, 2048 * sizeof(int));
  fence_chain<<<1, 100>>>(p);
  cudaDeviceSynchronize();
  printf("%d\n", p[0]);
  cudaMemset(p, 0, 2048 * sizeof(int));
  timer<<<1, 2>>>(p);
  cudaDeviceSynchronize();
  printf("%d\n", p[1]);
  cudaMemset(p, 0, 2048 * sizeof(int));
  blocks_in_order<<<500, 64>>>(p);
  cudaDeviceSynchronize();
  printf("%d %s\n", p[499], cudaGetErrorName(cudaGetLastError()));
}
