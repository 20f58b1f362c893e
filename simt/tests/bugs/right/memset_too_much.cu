// The last row is set to zero.
int main() {
  const int rows = 10, columns = 30;
  int* m;
  cudaMalloc(&m, rows * columns * sizeof(int));
  cudaMemset(m + (rows - 1) * columns, 0, columns * sizeof(int));
  cudaFree(m);
}
