// A loop over an array of the thread.
__global__ void sums(int* out, int n) {
  int part[4] = {1, 2, 3, 4};
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += part[i] * (int)threadIdx.x;
  out[threadIdx.x] = sum;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  sums<<<1, 32>>>(out, 4);
  cudaDeviceSynchronize();
  cudaFree(out);
}
