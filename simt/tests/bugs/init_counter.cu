// Atomics count from whatever was in the memory.
__global__ void count(const int* in, int* even) {
  if (in[threadIdx.x] % 2 == 0) atomicAdd(even, 1);
}

int main() {
  int host[64], *in, *even;
  for (int i = 0; i < 64; ++i) host[i] = 3 * i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&even, sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  count<<<1, 64>>>(in, even);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(even);
}
