// As much is copied to the table of the device as it has room for, in two pieces.
#include <cstdio>

__constant__ float weights[10];

__global__ void scale(float* out) {
  out[threadIdx.x] *= weights[threadIdx.x];
}

int main() {
  float host[11];
  for (int i = 0; i < 11; ++i) host[i] = 0.5f * i;
  float* out;
  cudaMalloc(&out, sizeof weights);
  cudaMemcpy(out, host, sizeof weights, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, host, 4 * sizeof(float));
  cudaMemcpyToSymbol(weights, host + 4, 6 * sizeof(float), 4 * sizeof(float));
  scale<<<1, 10>>>(out);
  cudaMemcpy(host, out, sizeof weights, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[9]);
  cudaFree(out);
}
