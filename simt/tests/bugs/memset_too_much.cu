// The row that is set to zero begins in the middle of the last one.
int main() {
  const int rows = 10, columns = 30;
  int* m;
  cudaMalloc(&m, rows * columns * sizeof(int));
  cudaMemset(m + (rows - 1) * columns + 15, 0, columns * sizeof(int));
  cudaFree(m);
}
