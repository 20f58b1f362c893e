// `#ifdef __CUDA_ARCH__` around what only one side may have: a __host__ __device__ function whose storage is shared memory in a
// kernel and static on the host, one that launches a kernel from the host, and variables with attributes between their words.
#include <cstdio>
__device__ alignas(128) int aligned[3];
__constant__ alignas(64) float constants[2] = {1, 2};
__managed__ alignas(32) int managed;
__device__ __constant__ alignas(256) [[maybe_unused]] int both_words = 3;
template <class T>
struct Storage {
  __host__ __device__ T* get() {
    alignas(16)
#ifdef __CUDA_ARCH__
        __shared__
#else
        static
#endif
            T storage[4];
    return storage;
  }
};
__global__ void fill(int* out) {
  Storage<int> s;
  if (threadIdx.x < 4) s.get()[threadIdx.x] = int(100 * blockIdx.x + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s.get()[0] + s.get()[3];
}
__host__ __device__ int start(int* out) {
#ifdef __CUDA_ARCH__
  return out[0];
#else
  fill<<<2, 32>>>(out);
  return static_cast<int>(cudaDeviceSynchronize());
#endif
}
__global__ void ask(int* out) {
  out[2] = start(out);
  aligned[2] = 5;
  out[3] = static_cast<int>(
      reinterpret_cast<size_t>(aligned) % 128 + reinterpret_cast<size_t>(constants) % 64 +
      reinterpret_cast<size_t>(&managed) % 32 + reinterpret_cast<size_t>(&both_words) % 256);
  out[4] = aligned[2] + static_cast<int>(constants[1]) + both_words;
}
int main() {
  int* out;
  cudaMallocManaged(&out, 5 * sizeof(int));
  const int error = start(out);
  Storage<int> s;
  s.get()[1] = 7;
  ask<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d: %d %d %d %d %d, host %d\n", error, out[0], out[1], out[2], out[3], out[4],
         s.get()[1]);
  cudaFree(out);
}
