// TMA: a store writes whole pieces of 16 bytes, so the last one of a row whose size is no multiple of them goes on
// behind the row's end; of a tensor that fills its allocation, behind the allocation. A load stops at the end.
#include "hopper_boxes.h"

// A box of 16 floats of ones.
__global__ void store(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float box[16];
  if (threadIdx.x < 16) box[threadIdx.x] = 1;
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map),
      "r"(0), "r"(hopper::address(box))
      : "memory");
  hopper::commit_stores();
  hopper::wait_stores();
}

// A tensor of ten floats in `room` of them, which hold twos.
void run(int room) {
  float *data, *out;
  cudaMallocManaged(&data, room * sizeof(float));
  cudaMallocManaged(&out, 16 * sizeof(float));
  for (int i = 0; i < room; ++i) data[i] = 2;
  CUtensorMap map;
  const Tensor ten{1, 4, {10}, {}, {16}, {1}};
  if (encode(&map, ten, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, data, CU_TENSOR_MAP_SWIZZLE_NONE) !=
      CUDA_SUCCESS) {
    printf("no tensor map\n");
    return;
  }
  fetch<1><<<1, 32>>>(map, Place{{0}}, 64, 64, reinterpret_cast<unsigned char*>(out));
  cudaDeviceSynchronize();
  printf("room for %d: loaded", room);
  for (int i = 0; i < 16; ++i) printf(" %g", out[i]);
  store<<<1, 32>>>(map);
  printf("; %s, stored", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < room; ++i) printf(" %g", data[i]);
  printf("\n");
  cudaFree(data);
  cudaFree(out);
}

int main() {
  run(16);
  run(10);
}
