// What is wrong in a program but goes well on a GPU: divisions by zero, reads of shared memory that
// nobody wrote, and of what lies behind an array on the same page.
#include <climits>
#include <cstdio>

template <class T>
__global__ void divide(const T* a, const T* b, T* out) {
  const int i = threadIdx.x;
  out[2 * i] = a[i] / b[i];
  out[2 * i + 1] = a[i] % b[i];
}

template <class T>
void show(const char* name, T smallest) {
  T *a, *b, *out;
  cudaMallocManaged(&a, 4 * sizeof(T));
  cudaMallocManaged(&b, 4 * sizeof(T));
  cudaMallocManaged(&out, 8 * sizeof(T));
  const T x[] = {7, 7, smallest, 0}, y[] = {0, 2, static_cast<T>(-1), 0};
  for (int i = 0; i < 4; ++i) a[i] = x[i], b[i] = y[i];
  divide<<<1, 4>>>(a, b, out);
  cudaDeviceSynchronize();
  printf("%s:", name);
  for (int i = 0; i < 8; ++i) printf(" %lld", static_cast<long long>(out[i]));
  printf("\n");
}

__global__ void unset(float* out) {
  __shared__ float sums[64];
  extern __shared__ int more[];
  sums[threadIdx.x] += 1;
  more[threadIdx.x] += 2;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sums[threadIdx.x] + more[threadIdx.x];
}

__global__ void behind(const char* p, size_t n, int* out) {
  *out = p[n] + p[n + 5000];
}

int main() {
  show<int>("int", INT_MIN);
  show<unsigned>("unsigned", 1);
  show<long long>("long long", LLONG_MIN);
  show<short>("short", -32768);
  show<unsigned char>("unsigned char", 1);
  float* f;
  cudaMallocManaged(&f, 64 * 64 * sizeof(float));
  unset<<<64, 64, 64 * sizeof(int)>>>(f);
  cudaDeviceSynchronize();
  float sum = 0;
  for (int i = 0; i < 64 * 64; ++i) sum += f[i];
  char* p;
  const size_t n = 100000;
  cudaMalloc(&p, n);
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  behind<<<1, 1>>>(p, n, out);
  printf("%g %s %d\n", sum, cudaGetErrorString(cudaDeviceSynchronize()), *out);
}
