// TMA: a box that begins at no multiple of 16 bytes of a row is an illegal instruction, for loads, stores and
// reductions; at any other place, left of the tensor too, it is none.
#include "hopper_boxes.h"

__global__ void store(const __grid_constant__ CUtensorMap map, int x) {
  __shared__ alignas(128) unsigned char box[64];
  box[threadIdx.x] = 1;
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  hopper::store_2d(&map, x, 0, box);
  hopper::commit_stores();
  hopper::wait_stores();
}

__global__ void add(const __grid_constant__ CUtensorMap map, int x) {
  __shared__ alignas(128) unsigned char box[64];
  box[threadIdx.x] = 0;
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], "
      "[%3];" ::"l"(&map),
      "r"(x), "r"(0), "r"(hopper::address(box))
      : "memory");
  hopper::commit_stores();
  hopper::wait_stores();
}

enum class Way { load, store, add };

// A box of 32 bytes in each of two rows of 128 bytes. An error ends the context.
void run(const char* name, Way way, CUtensorMapDataType type, int size, int x) {
  unsigned char *data, *out;
  cudaMallocManaged(&data, 256);
  cudaMallocManaged(&out, 64);
  for (int i = 0; i < 256; ++i) data[i] = 0;
  const CUtensorMap map =
      hopper::matrix_map(type, size, data, 128 / size, 2, 32 / size, 2, CU_TENSOR_MAP_SWIZZLE_NONE);
  if (way == Way::load) fetch<2><<<1, 64>>>(map, Place{{x, 0}}, 64, out);
  if (way == Way::store) store<<<1, 64>>>(map, x);
  if (way == Way::add) add<<<1, 64>>>(map, x);
  printf("%s at %d: %s\n", name, x, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  for (int x : {-8, 56, -5, 4})
    run("load of halves", Way::load, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, x);
  for (int x : {-16, 112, -2, 8})
    run("store of bytes", Way::store, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, x);
  for (int x : {-4, 28, -1, 2}) run("sum of words", Way::add, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, x);
}
