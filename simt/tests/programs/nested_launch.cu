// Kernels that launch kernels, and host threads that launch at the same time.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void child(int* out, int base) {
  __shared__ int s[8];
  s[threadIdx.x] = base;
  __syncthreads();
  atomicAdd(out, s[7 - threadIdx.x] + threadIdx.x);
}

__global__ void parent(int* out) {
  __shared__ int s[4];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  child<<<2, 8>>>(out, s[threadIdx.x] * 10);
  __syncthreads();
  atomicAdd(out, 1000 * s[3 - threadIdx.x] + static_cast<int>(blockIdx.x) * 0);
}

__global__ void count(int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, n);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 16);
  *out = 0;
  parent<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  // children: sum over parents of 2 * (8 * 10 t + 28)
  printf("%d\n", *out);
  *out = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([=] {
      for (int k = 0; k < 50; ++k) count<<<k % 3 + 1, 64>>>(out);
      cudaDeviceSynchronize();
    });
  }
  for (auto& t : threads) t.join();
  printf("%d\n", *out);
}
