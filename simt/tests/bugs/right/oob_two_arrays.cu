// Two arrays in dynamic shared memory, and room for both.
__global__ void swap_pairs(const float* in, float* out, int n) {
  extern __shared__ float pool[];
  float* keys = pool;
  float* values = keys + n;
  int t = threadIdx.x;
  keys[t] = in[t];
  values[t] = in[n + t];
  __syncthreads();
  out[t] = keys[t ^ 1] * values[t ^ 1];
}

int main() {
  const int n = 128;
  float *in, *out;
  cudaMalloc(&in, 2 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, 2 * n * sizeof(float));
  swap_pairs<<<1, n, 2 * n * sizeof(float)>>>(in, out, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
