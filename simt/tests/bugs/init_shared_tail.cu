// The last tile is only partly loaded, and summed up whole.
__global__ void sums(const int* in, int* out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) tile[t] = in[i];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

int main() {
  const int n = 200;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  sums<<<4, 64>>>(in, out, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
