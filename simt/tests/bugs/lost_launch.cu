// Launches that are refused, and nobody asks: the result is that of the memset.
#include <cstdio>

__global__ void fill(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f;
}
__global__ void reverse(float* out, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = out[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tile[n - 1 - i];
}

int main() {
  const int n = 16384;
  float* out;
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  fill<<<n / 2048, 2048>>>(out, n);
  reverse<<<1, 256, n * sizeof(float)>>>(out, n);
  fill<<<(n - 1) / 32768, 256>>>(out, n);
  cudaDeviceSynchronize();
  float first = 0;
  cudaMemcpy(&first, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cudaFree(out);
}
