// The pointer that is freed is the one that was allocated.
__global__ void fill(int* row, int value) {
  row[threadIdx.x] = value;
}

int main() {
  int* all;
  cudaMalloc(&all, 4 * 64 * sizeof(int));
  int* row = all;
  for (int i = 0; i < 3; ++i, row += 64) fill<<<1, 64>>>(row, i);
  cudaDeviceSynchronize();
  cudaFree(all);
}
