// All keys fit the file's shared array.
__shared__ int before[16];
__shared__ int counts[32];
__shared__ int after[16];

__global__ void count(const int* keys, int* out) {
  int i = threadIdx.x;
  counts[i] = 0;
  if (i < 16) before[i] = after[i] = i;
  __syncthreads();
  atomicAdd(&counts[keys[blockIdx.x * 32 + i]], 1);
  __syncthreads();
  out[blockIdx.x * 32 + i] = counts[i] + before[i % 16] - after[i % 16];
}

int main() {
  int host[64], *keys, *out;
  for (int i = 0; i < 64; ++i) host[i] = i / 2;
  host[63] = 31;
  cudaMalloc(&keys, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
  count<<<2, 32>>>(keys, out);
  cudaDeviceSynchronize();
  cudaFree(keys);
  cudaFree(out);
}
