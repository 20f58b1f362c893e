// Every way to name a kernel and to pass its arguments.
#include <cstdio>

struct Big {
  int values[40];
};

template <class T>
__global__ void deduced(T* out, T value) {
  out[threadIdx.x] = value + static_cast<T>(threadIdx.x);
}

template <int N, class T>
__global__ void half_deduced(T* out) {
  out[threadIdx.x] = N;
}

__global__ void conversions(float* out, double scale, const int* none, char c) {
  out[threadIdx.x] = static_cast<float>(scale) * (none == nullptr ? 1.0f : 2.0f) + c;
}

__global__ void defaults(int* out, int a = 5, int b = 7) {
  *out = a * 100 + b;
}

__global__ void overloaded(int* out, int) {
  *out = 1;
}
__global__ void overloaded(int* out, double) {
  *out = 2;
}

__global__ void big(Big b, int* out) {
  // By-value parameters belong to the thread: this must not be seen by the others.
  b.values[0] += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = b.values[0] + b.values[39];
}

template <class T, class... P>
__global__ void packed(T* out, P... values) {
  out[threadIdx.x] = (static_cast<T>(values) + ...) * 10 + static_cast<T>(sizeof...(P));
}

template <class F>
__global__ void apply(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}

namespace deep {
inline namespace deeper {
template <class T>
struct Holder {
  T* data;
  template <int N>
  void run();
};
template <class T, int N>
__global__ void fill(T* out) {
  out[threadIdx.x] = static_cast<T>(N + threadIdx.x);
}
template <class T>
template <int N>
void Holder<T>::run() {
  fill<T, N><<<1, 4>>>(data);
  fill<T, (N > 3 ? N : 0)><<<dim3(1), dim3(2, 1, 1), 0, nullptr>>>(data);
}
}  // namespace deeper
}  // namespace deep

#define LAUNCH(kernel, ...) kernel<<<1, 4>>>(__VA_ARGS__)

extern "C" {
__global__ void c_linkage(int* out) {
  *out = 99;
}
}

static void show(const char* what, const int* p) {
  cudaDeviceSynchronize();
  printf("%s: %d %d %d %d (%s)\n", what, p[0], p[1], p[2], p[3],
         cudaGetErrorName(cudaGetLastError()));
}

int main() {
  int* out;
  float* floats;
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&floats, 64 * sizeof(float));
  deduced<<<1, 4>>>(out, 10);
  show("deduced", out);
  half_deduced<42><<<1, 4>>>(out);
  show("half deduced", out);
  conversions<<<1, 4>>>(floats, 3, 0, 1);
  cudaDeviceSynchronize();
  printf("conversions: %g\n", floats[3]);
  defaults<<<1>>>(out);  // a block of one thread
  show("defaults", out);
  defaults<<<1, 1>>>(out, 1);
  show("one default", out);
  overloaded<<<1, 1>>>(out, 1.5);
  show("overloaded", out);
  Big b = {};
  b.values[0] = 100;
  b.values[39] = 1000;
  big<<<1, 4>>>(b, out);
  show("big", out);
  int k = 3;
  apply<<<1, 4>>>([=] __device__(int i) { return i * k; }, out);
  show("lambda", out);
  deep::Holder<int>{out}.run<5>();
  show("members", out);
  void (*pointer)(int*, int, int) = defaults;
  pointer<<<1, 1>>>(out, 2, 3);
  show("pointer", out);
  void (*table[2])(int*) = {c_linkage, half_deduced<7, int>};
  (*table[1])<<<1, 4>>>(out);
  show("table", out);
  table[0]<<<1, 1>>>(out);
  show("c linkage", out);
  packed<int><<<1, 4>>>(out, 1, 2.5, 3u);
  show("a pack", out);
  packed<int, char, float><<<1, 2>>>(out, 'a', 1.0f);
  show("a named pack", out);
  LAUNCH(deduced<int>, out, 0);
  show("macro", out);
  big<<<1, 2>>>({{1, 2}}, out);
  show("braces", out);

  int a = 8, c = 9;
  void* args[] = {&out, &a, &c};
  printf("%s\n", cudaGetErrorName(cudaLaunchKernel((void*)defaults, dim3(1), dim3(1), args, 0, 0)));
  show("cudaLaunchKernel", out);
  const void* handle = reinterpret_cast<const void*>(deduced<int>);
  void* args2[] = {&out, &a};
  cudaLaunchKernel(handle, dim3(1), dim3(4), args2, 0, nullptr);
  show("cudaLaunchKernel of a template", out);
  cudaLaunchKernel(defaults, 1, 1, args);
  show("typed cudaLaunchKernel", out);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 4;
  cudaLaunchKernelEx(&config, deduced<int>, out, 60);
  show("cudaLaunchKernelEx", out);
  int x = 0;
  printf("%s\n", cudaGetErrorName(cudaLaunchKernel((const void*)&x, 1, 1, args, 0, 0)));
}
