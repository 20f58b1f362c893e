// Structures with padding, written member by member and copied as a whole: nobody writes the padding, and nobody reads it.
#include <cstdio>

struct Tail {
  long long a;
  int b;
};
struct Middle {
  int a;
  double b;
};
struct Wide {
  double a;
  char b;
};
struct alignas(16) Three {
  float a, c;
  short b;
};
struct Small {
  int a;
  char b;
};
struct Large {
  long long a;
  int c[3];
  char b;
};
struct Nested {
  Small inner;
  int a;
  short b;
};

template <class T>
__global__ void make(T* p) {
  T& own = p[threadIdx.x];
  own.a = threadIdx.x;
  own.b = 1;
}
template <class T>
__global__ void copy(T* to, const T* from) {
  to[threadIdx.x] = from[threadIdx.x];
}
template <class T>
__global__ void pick(T* to, const T* from) {
  __shared__ T all[32];
  T item = from[threadIdx.x];
  item.b = 2;
  all[threadIdx.x] = item;
  __syncthreads();
  const T other = all[31 - threadIdx.x];
  if (static_cast<int>(other.a) % 2 == 0) to[threadIdx.x] = other;
}
template <class T>
__global__ void sum(const T* p, double* out) {
  double s = 0;
  for (int i = 0; i < 32; ++i) s += static_cast<double>(p[i].a) * p[i].b;
  *out = s;
}

template <class T>
void test(const char* name) {
  T *p, *q;
  double* out;
  cudaMalloc(&p, 32 * sizeof(T));
  cudaMalloc(&q, 32 * sizeof(T));
  cudaMallocManaged(&out, sizeof(double));
  make<<<1, 32>>>(p);
  copy<<<1, 32>>>(q, p);
  pick<<<1, 32>>>(q, p);
  sum<<<1, 1>>>(q, out);
  cudaDeviceSynchronize();
  std::printf("%s %g\n", name, *out);
  cudaFree(p);
  cudaFree(q);
  cudaFree(out);
}

int main() {
  test<Tail>("tail");
  test<Middle>("middle");
  test<Wide>("wide");
  test<Three>("three");
  test<Small>("small");
  test<Large>("large");
  test<Nested>("nested");
}
