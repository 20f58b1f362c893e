// The last block to finish adds up what all have left: a fence and a counter order them.
__device__ unsigned done;

__global__ void sum(const int* in, int* parts, int* out) {
  __shared__ int s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  s[t] = t < gridDim.x ? parts[t] : 0;
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int i = 0; i < 64; ++i) total += s[i];
    *out = total;
  }
}

int main() {
  int *in, *parts, *out, host = 0;
  cudaMalloc(&in, 16 * 64 * sizeof(int));
  cudaMalloc(&parts, 16 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 16 * 64 * sizeof(int));
  sum<<<16, 64>>>(in, parts, out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(parts);
  cudaFree(out);
  return host;
}
