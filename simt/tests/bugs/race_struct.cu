// Threads keep the block's best value in a struct, each as if it were alone.
struct Best {
  int value, index;
};

__global__ void find(const int* in, Best* out) {
  __shared__ Best best;
  __shared__ int values[64];
  int t = threadIdx.x;
  values[t] = in[t];
  if (t == 0) best = Best{-1, -1};
  __syncthreads();
  if (values[t] > best.value) best.value = values[t], best.index = t;
  __syncthreads();
  if (t == 0) *out = best;
}

int main() {
  int host[64], *in;
  for (int i = 0; i < 64; ++i) host[i] = i * 37 % 64;
  Best* out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof(Best));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  find<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
