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

// Lane 0 launches when all lanes have stored, by its count: theirs come first, as on a GPU.
__global__ void total(const int* values, int* out) {
  atomicAdd(out, values[threadIdx.x]);
}

__global__ void stores_first(int* values, int* out) {
  values[threadIdx.x] = 1;
  if (threadIdx.x % 32 == 0 && atomicAdd(out, 32) + 32 == blockDim.x) {
    total<<<1, blockDim.x>>>(values, out + 1);
  }
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
  int* values;
  cudaMallocManaged(&values, 128 * sizeof(int));
  out[0] = out[1] = 0;
  stores_first<<<1, 128>>>(values, out);
  cudaDeviceSynchronize();
  printf("%d\n", out[1]);
}
