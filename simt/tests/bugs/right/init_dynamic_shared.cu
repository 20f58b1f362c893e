// Each warp sets its row of bins to zero.
__global__ void histogram(const int* in, int* out) {
  extern __shared__ int bins[];
  int t = threadIdx.x, warps = blockDim.x / 32;
  for (int i = t; i < 16 * warps; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[t / 32 * 16 + in[t] % 16], 1);
  __syncthreads();
  if (t < 16) {
    int sum = 0;
    for (int w = 0; w < warps; ++w) sum += bins[w * 16 + t];
    out[t] = sum;
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 16 * sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  histogram<<<1, 128, 4 * 16 * sizeof(int)>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
