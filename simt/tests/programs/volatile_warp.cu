// Code from before Volta: lanes that count on doing each statement together, and say `volatile`;
// shuffles and votes that name no lanes; threads that wait for a volatile flag.
#include <cstdio>

__device__ void reduce_warp(volatile int* s, unsigned t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

__global__ void sum(const int* in, int* out) {
  __shared__ int s[128];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) reduce_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

// The value goes through a register as well, the type is a parameter, lanes drop out one by one.
template <class T>
__global__ void scan(T* data) {
  volatile __shared__ T s[32];
  const unsigned lane = threadIdx.x;
  T mine;
  s[lane] = data[lane];
  if (lane >= 1) s[lane] = mine = s[lane - 1] + s[lane];
  if (lane >= 2) s[lane] = mine = s[lane - 2] + s[lane];
  if (lane >= 4) s[lane] = mine = s[lane - 4] + s[lane];
  if (lane >= 8) s[lane] = mine = s[lane - 8] + s[lane];
  if (lane >= 16) s[lane] = mine = s[lane - 16] + s[lane];
  data[lane] = s[lane];
}

// A rotation: each statement reads what the lane next to it wrote in the one before.
__global__ void rotate(int* data) {
  extern volatile __shared__ int ring[];
  const int i = threadIdx.x, n = blockDim.x;
  ring[i] = i;
  for (int k = 0; k < 3; ++k) ring[i] = ring[(i + 1) % n];
  data[i] = ring[i];
}

__device__ volatile int ready;

__global__ void wait(volatile int* flag, int* seen) {
  if (threadIdx.x == 0) {
    while (*flag == 0)
      ;
    do {
    } while (ready == 0);
    *seen = *flag + ready;
  } else {
    *flag = 7;
    ready = 5;
  }
}

__global__ void old_names(int* out) {
  const int lane = threadIdx.x;
  int v = lane;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor(v, d);
  out[lane] = v + 1000 * __shfl(lane, 3) + 10000 * __any(lane == 5) + 100000 * __all(lane == 5);
  if (lane < 4) out[lane] += 1000000 * static_cast<int>(__ballot(lane & 1));
}

int main() {
  int* d;
  cudaMallocManaged(&d, 1024 * sizeof(int));
  for (int i = 0; i < 512; ++i) d[i] = i;
  sum<<<4, 128>>>(d, d + 512);
  cudaDeviceSynchronize();
  for (int b = 0; b < 4; ++b) printf("sum %d\n", d[512 + b]);

  float* f;
  cudaMallocManaged(&f, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) f[i] = 1.5f;
  scan<<<1, 32>>>(f);
  rotate<<<1, 32, 32 * sizeof(int)>>>(d);
  cudaDeviceSynchronize();
  printf("scan %g %g %g, rotate %d %d %d\n", f[0], f[1], f[31], d[0], d[28], d[31]);

  d[0] = d[1] = 0;
  wait<<<1, 64>>>(d, d + 1);
  old_names<<<1, 32>>>(d + 32);
  cudaDeviceSynchronize();
  printf("seen %d, old names %d %d\n", d[1], d[33], d[63]);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
