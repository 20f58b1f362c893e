// What is known of kernels: static shared memory and __launch_bounds__, as attributes and as limits of a launch; and kernels
// launched by cudaLaunchKernel through tables of pointers, templates among them.
#include <cstdio>

constexpr int size = 100;

__global__ void one_array(float* x) {
  const int i = threadIdx.x;
  __shared__ float values[size];
  values[i] = x[i];
  __syncthreads();
  x[i] = values[size - 1 - i];
}
__global__ void late_and_inner(float* x) {
  if (x == nullptr) return;
  const int n = 8;
  __shared__ double sums[n];
  sums[0] = x[0];
  if (sums[0] > 0) {
    __shared__ char flag;
    flag = 1;
    x[0] = flag;
  }
}
__global__ void dynamic_only(float* x) {
  extern __shared__ float values[];
  values[0] = *x;
}
__global__ void nothing() {}
__global__ void __launch_bounds__(128) bounded(float* x) {
  x[0] = 1;
}
extern "C" __launch_bounds__(32 * 2, 4) __global__ void bounded_before(float* x) {
  x[0] = 2;
}
template <int N>
__global__ void __launch_bounds__(N) bounded_template(float* x) {
  __shared__ int values[N];
  values[threadIdx.x] = 3;
  x[0] = values[threadIdx.x];
}

template <class K>
void show(const char* name, K kernel) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0);
  printf("%s: %zu bytes, %d threads, %d blocks of 256\n", name, attributes.sharedSizeBytes,
         attributes.maxThreadsPerBlock, blocks);
}
void show_error(const char* name) {
  printf("%s: %s\n", name, cudaGetErrorName(cudaGetLastError()));
}

template <int N>
__global__ void add(int* p) {
  *p += N;
}
template <class T, T First, int... Rest>
__global__ void add_all(int* p) {
  *p += (First + ... + Rest);
}
template <class T, class = void>
__global__ void unnamed(T* p) {
  *p += 10000;
}
template <class T>
__global__ void overloaded(T* p) {
  *p += 1;
}
template <class T>
__global__ void overloaded(T* p, int n) {
  *p += n;
}
__global__ void triple(int* p) {
  *p *= 3;
}
namespace {
__global__ void hidden(int* p) {
  *p -= 1;
}
}  // namespace

using Pointer = void (*)(int*);
static const Pointer table[] = {add<1>, add<2>, add_all<int, 5, 6, 7>, triple, hidden};
struct Entry {
  const char* name;
  void (*kernel)(int*);
};
static constexpr Entry entries[] = {{"add", add<50>}, {"triple", &triple}};

void tables() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  *p = 1;
  void* args[] = {&p};
  for (const Pointer f : table) {
    if (cudaLaunchKernel((const void*)f, dim3(1), dim3(1), args, 0, nullptr) != cudaSuccess)
      printf("not launched\n");
  }
  cudaDeviceSynchronize();
  printf("%d\n", *p);
  for (const Entry& entry : entries) {
    const void* const f = reinterpret_cast<const void*>(entry.kernel);
    printf("%s: %s\n", entry.name,
           cudaGetErrorName(cudaLaunchKernel(f, dim3(1), dim3(1), args, 0, nullptr)));
  }
  unnamed<<<1, 1>>>(p);
  overloaded<<<1, 1>>>(p);
  overloaded<<<1, 1>>>(p, 3);
  cudaDeviceSynchronize();
  printf("%d\n", *p);
  cudaFree(p);
}

int main() {
  show("one_array", one_array);
  show("late_and_inner", late_and_inner);
  show("dynamic_only", dynamic_only);
  show("nothing", nothing);
  show("bounded", bounded);
  show("bounded_before", bounded_before);
  float* x;
  cudaMallocManaged(&x, size * sizeof(float));
  x[0] = 0;
  bounded<<<1, 129>>>(x);
  show_error("129 of 128 threads");
  bounded_before<<<1, dim3(5, 13)>>>(x);
  show_error("5 x 13 of 64 threads");
  bounded_template<96><<<2, 97>>>(x);
  show_error("97 of 96 threads");
  cudaDeviceSynchronize();
  printf("%g\n", x[0]);
  bounded<<<1, 128>>>(x);
  bounded_template<96><<<1, 96>>>(x);
  show_error("as many as are allowed");
  cudaDeviceSynchronize();
  printf("%g\n", x[0]);
  cudaFree(x);
  tables();
  return 0;
}
