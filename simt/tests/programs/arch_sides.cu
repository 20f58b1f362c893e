// `#ifdef __CUDA_ARCH__`: the host calls the host's side, a kernel the device's, in functions, members, templates, constant
// expressions, macros and lambdas; a function that only the host's side has is there.
#include <cstdio>
#ifndef __CUDA_ARCH__
static int host_only(int x) {
  return x + 100;
}
#endif
__host__ __device__ int side(int x) {
#ifdef __CUDA_ARCH__
  return __popc(x) + 1000;
#else
  return host_only(x);
#endif
}
#ifdef __CUDA_ARCH__
#define WHERE "device"
#else
#define WHERE "host"
#endif
__host__ __device__ inline const char* where() {
  return WHERE;
}
struct S {
  __host__ __device__ int get() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return 10;
#else
    return 20;
#endif
  }
  template <class T>
  __device__ __host__ static T pick(T a, T b) {
#ifdef __CUDA_ARCH__
    return a;
#else
    return b;
#endif
  }
};
constexpr __host__ __device__ int c() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
__global__ void k(int* out) {
  out[0] = side(7);
  out[1] = where()[0];
  out[2] = S().get();
  out[3] = S::pick(1, 2);
  out[4] = c();
#ifdef __CUDA_ARCH__
  out[5] = __CUDA_ARCH__;
#endif
}
template <class F>
__global__ void apply(F f, int* out) {
  *out = f(3);
}
int main() {
#ifdef __CUDA_ARCH__
  printf("main on the device?\n");
#else
  printf("main\n");
#endif
  int* out;
  cudaMallocManaged(&out, 64);
  k<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d %c %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
  constexpr int cc = c();
  printf("%d %c %d %d %d %d\n", side(7), where()[0], S().get(), S::pick(1, 2), c(), cc);
  auto both = [=] __host__ __device__(int x) {
#ifdef __CUDA_ARCH__
    return x * 2;
#else
    return x * 3;
#endif
  };
  apply<<<1, 1>>>(both, out);
  apply<<<1, 1>>>(
      [=] __device__(int x) {
#ifdef __CUDA_ARCH__
        return x * 5;
#else
        return x * 7;
#endif
      },
      out + 1);
  cudaDeviceSynchronize();
  printf("%d %d %d line %d\n", out[0], out[1], both(3), __LINE__);
}
