// The first kernel fills what it was launched for, the second reads all.
__global__ void produce(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
__global__ void consume(const int* a, int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  *out = sum;
}

int main() {
  const int n = 1000;
  int *a, *out;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  produce<<<n / 256, 256>>>(a, n);
  consume<<<1, 1>>>(a, out, n);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(out);
}
