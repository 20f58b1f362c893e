// Seventeen digits into sixteen counters.
__device__ int counters[16];

__global__ void count(const int* in) {
  atomicAdd(&counters[in[threadIdx.x] % 17], 1);
}

int main() {
  int host[64], *in;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  count<<<1, 64>>>(in);
  cudaDeviceSynchronize();
  cudaFree(in);
}
