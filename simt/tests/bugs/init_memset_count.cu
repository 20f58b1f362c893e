// cudaMemset is told the number of elements instead of bytes.
__global__ void add(float* sums, float value) {
  sums[threadIdx.x] += value;
}

int main() {
  const int n = 256;
  float* sums;
  cudaMalloc(&sums, n * sizeof(float));
  cudaMemset(sums, 0, n);
  add<<<1, n>>>(sums, 1.0f);
  cudaDeviceSynchronize();
  cudaFree(sums);
}
