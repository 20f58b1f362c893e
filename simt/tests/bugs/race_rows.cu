// Rows of a matrix that is reached through a pointer to arrays: two threads write m[1][2].
__global__ void fill(float (*m)[8], int n) {
  const int i = threadIdx.x;
  m[1][i / 2] = i;
}

int main() {
  float(*matrix)[8];
  cudaMalloc(&matrix, 4 * sizeof *matrix);
  fill<<<1, 2>>>(matrix, 8);
  cudaDeviceSynchronize();
  cudaFree(matrix);
}
