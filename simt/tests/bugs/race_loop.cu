// The tile is overwritten in the next step while others still read: one barrier is missing.
__global__ void steps(const int* in, int* out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < n; ++i) {
    tile[t] = in[i * 64 + t];
    __syncthreads();
    sum += tile[63 - t];
  }
  out[t] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 3 * 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 1, 3 * 64 * sizeof(int));
  steps<<<1, 64>>>(in, out, 3);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
