// Each thread writes its own element of the row.
__global__ void fill(float (*m)[8], int n) {
  const int i = threadIdx.x;
  m[1][i] = i;
}

int main() {
  float(*matrix)[8];
  cudaMalloc(&matrix, 4 * sizeof *matrix);
  fill<<<1, 8>>>(matrix, 8);
  cudaDeviceSynchronize();
  cudaFree(matrix);
}
