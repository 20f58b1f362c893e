// Barriers that reduce, threads that leave early, 3-D blocks.
#include <cstdio>

__global__ void reduce(int* out) {
  const int i = threadIdx.x;
  if (i >= 40 && i < 50) return;  // exited threads count as arrived
  int n = __syncthreads_count(i % 3 == 0);
  int all = __syncthreads_and(i < 60);
  int any = __syncthreads_or(i == 63);
  if (i == 0) {
    out[0] = n;
    out[1] = all;
    out[2] = any;
  }
  if (i == 63) {
    out[3] = __syncthreads_or(0);
    return;
  }
  __syncthreads_or(0);
}

__global__ void ids(int* out) {
  __shared__ int seen[60];
  int linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  seen[linear] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
  __syncthreads();
  int other = 59 - linear;
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  __syncthreads();
  out[block * 60 + linear] =
      seen[other] + block * 1000 + (static_cast<int>(threadIdx.x) == linear % 5 ? 0 : 1000000);
}

__global__ void named(int* out) {
  // Two halves meet at their own barriers, many times.
  __shared__ int box[64];
  const int half = threadIdx.x / 32;
  for (int k = 0; k < 10; ++k) {
    box[threadIdx.x] = k;
    __barrier_sync_count(1 + half, 32);
    if (box[(threadIdx.x % 32 + 1) % 32 + half * 32] != k) out[5] = 1;
    __barrier_sync_count(1 + half, 32);
  }
}

int main() {
  int* out;
  cudaMallocManaged(&out, 4096 * sizeof(int));
  reduce<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  ids<<<dim3(2, 3, 2), dim3(5, 4, 3)>>>(out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int b = 0; b < 12; ++b) {
    for (int i = 0; i < 60; ++i) {
      int o = 59 - i;
      wrong += out[b * 60 + i] != b * 1000 + (o / 20) * 100 + (o / 5 % 4) * 10 + o % 5;
    }
  }
  printf("%d wrong\n", wrong);
  out[5] = 0;
  named<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", out[5]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
