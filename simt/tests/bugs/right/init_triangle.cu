// The other half of a symmetric matrix is read where it was made.
__global__ void make(float* m, int n) {
  int r = threadIdx.y, c = threadIdx.x;
  if (c <= r) m[r * n + c] = r + c;
}
__device__ float at(const float* m, int n, int r, int c) {
  return r < c ? m[c * n + r] : m[r * n + c];
}
__global__ void row_sums(const float* m, float* out, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c) sum += at(m, n, threadIdx.x, c);
  out[threadIdx.x] = sum;
}

int main() {
  const int n = 16;
  float *m, *out;
  cudaMalloc(&m, n * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  make<<<1, dim3(n, n)>>>(m, n);
  row_sums<<<1, n>>>(m, out, n);
  cudaDeviceSynchronize();
  cudaFree(m);
  cudaFree(out);
}
