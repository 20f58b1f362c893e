// The largest of many floats by an atomic maximum of our own: one per element, then one per warp.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

__device__ void atomic_max(float* to, float value) {
  // A guess. Where it is wrong, the first swap tells what is there: a plain read would be a race.
  int old = __float_as_int(-INFINITY);
  while (__int_as_float(old) < value) {
    const int seen = atomicCAS(reinterpret_cast<int*>(to), old, __float_as_int(value));
    if (seen == old) return;
    old = seen;
  }
}

__global__ void per_element(const float* x, int n, float* result, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(count, 1);
  atomic_max(result, x[i]);
}

__global__ void per_warp(const float* x, int n, float* result, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float largest = i < n ? x[i] : -INFINITY;
  for (int away = 16; away > 0; away /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, away));
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(count, 1);
  atomic_max(result, largest);
}

template <class Kernel>
void show(const char* name, Kernel kernel, const float* x, int n) {
  struct Result {
    float largest = -INFINITY;
    int count = 0;
  } result, *device = nullptr;
  cudaMalloc(&device, sizeof result);
  cudaMemcpy(device, &result, sizeof result, cudaMemcpyHostToDevice);
  kernel<<<(n + 255) / 256, 256>>>(x, n, &device->largest, &device->count);
  cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%s: %g with %d atomics\n", name, result.largest, result.count);
}

int main() {
  constexpr int n = 1000;
  float x[n], *device = nullptr;
  for (int i = 0; i < n; ++i) x[i] = 10 * std::sin(float(i));
  x[777] = 12.5f;
  cudaMalloc(&device, sizeof x);
  cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice);
  show("per element", per_element, device, n);
  show("per warp", per_warp, device, n);
  cudaFree(device);
}
