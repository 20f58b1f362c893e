// Looked at by debug_test.cpp, which knows these lines by their numbers.
#include <cstdio>

__global__ void clear(int* out) {
  out[threadIdx.x] = 0;
}

template <class T>
__global__ void reduce(const T* in, T* out) {
  __shared__ T tile[64];
  extern __shared__ int extra[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T mine = in[i] * 2;
  tile[threadIdx.x] = mine;
  extra[threadIdx.x % 4] = 7;
  __syncthreads();
  const T other = tile[63 - threadIdx.x];
  if (threadIdx.x == 0) out[blockIdx.x] = other;
}

__global__ void stuck(int* out) {
  const int mine = threadIdx.x * 3;
  if (threadIdx.x < 10) {
    out[0] = __shfl_sync(0xffffffffu, mine, 3);
  } else {
    __syncthreads();
  }
}

int main(int argc, char**) {
  int *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 4 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i;
  clear<<<1, 4>>>(out);
  reduce<int><<<4, 64, 16>>>(in, out);
  for (int i = 0; i < 256; ++i) in[i] = 1000 + i;
  reduce<int><<<dim3(2, 2), dim3(8, 8), 16>>>(in, out);
  if (argc > 1) stuck<<<1, 32>>>(out);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%d %d\n", out[0], error);
  return error == cudaSuccess ? 0 : 3;
}
