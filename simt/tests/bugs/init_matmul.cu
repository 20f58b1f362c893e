// The product is added to a matrix that nobody set to zero.
template <class T>
__global__ void multiply_add(const T* a, const T* b, T* c, int n) {
  int x = threadIdx.x, y = threadIdx.y;
  T sum = c[y * n + x];
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

int main() {
  const int n = 8, bytes = n * n * sizeof(double);
  double *a, *c;
  cudaMalloc(&a, bytes);
  cudaMalloc(&c, bytes);
  cudaMemset(a, 0, bytes);
  multiply_add<<<1, dim3(n, n)>>>(a, a, c, n);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(c);
}
