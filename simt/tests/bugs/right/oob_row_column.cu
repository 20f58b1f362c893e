// Rows are as long as the matrix is wide.
__global__ void scale(float* m, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) m[r * columns + c] *= 2;
}

int main() {
  const int rows = 24, columns = 40;
  float* m;
  cudaMalloc(&m, rows * columns * sizeof(float));
  cudaMemset(m, 0, rows * columns * sizeof(float));
  dim3 block(8, 8), grid(columns / 8, rows / 8);
  scale<<<grid, block>>>(m, rows, columns);
  cudaDeviceSynchronize();
  cudaFree(m);
}
