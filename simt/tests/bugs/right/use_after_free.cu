// Freed after use.
__global__ void add(int* a, const int* b) {
  a[threadIdx.x] += b[threadIdx.x];
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaMemset(a, 0, 128);
  cudaMemset(b, 0, 128);
  add<<<1, 32>>>(a, b);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
