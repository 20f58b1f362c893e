// CCCL's words for the sides of a function, in a program's own functions: behind headers of CUB, libcu++ and Thrust, and CUB's headers that are CCCL's own.
#include <cub/block/block_reduce.cuh>
_CCCL_HOST_DEVICE int twice(int x) {
  return 2 * x;
}

#include <thrust/tuple.h>
#include <cuda/std/array>
_CCCL_DEVICE int thrice(int x) {
  return 3 * x;
}
_CCCL_HOST_DEVICE _CCCL_FORCEINLINE int square(int x) {
  return x * x;
}
_CCCL_HOST int on_host(int x) {
  return -x;
}
template <class T>
struct Add {
  T by;
  _CCCL_HOST_DEVICE constexpr T operator()(T x) const { return x + by; }
};

#include <cstdio>
#include <cub/grid/grid_mapping.cuh>
#include <cub/grid/grid_queue.cuh>

__global__ void use(int* out) {
  const cuda::std::array<int, 2> values{thrice(1), square(3)};
  *out = twice(10) + values[0] + values[1] + Add<int>{100}(1000);
}

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  use<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d\n", *out, twice(4), square(5), on_host(6));
  cudaFree(out);
}
