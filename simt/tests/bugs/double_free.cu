// Two owners of one pointer.
int main() {
  int* a;
  cudaMalloc(&a, 128);
  int* b = a;
  cudaFree(a);
  cudaFree(b);
}
