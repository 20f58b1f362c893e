// One free.
int main() {
  int* a;
  cudaMalloc(&a, 128);
  int* b = a;
  (void)b;
  cudaFree(a);
}
