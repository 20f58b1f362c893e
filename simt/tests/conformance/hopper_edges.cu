// TMA where a row of the tensor does not end at a multiple of 16 bytes: what a load brings from behind the end, and what a
// store writes there.
#include <string>

#include "../programs/hopper_boxes.h"
#include "facts.h"

constexpr int pitch = 64, rows = 3, box_columns = 32, box_bytes = rows * box_columns;

__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(1024) unsigned char tile[box_bytes];
  for (int i = threadIdx.x; i < box_bytes; i += blockDim.x) tile[i] = static_cast<unsigned char>(i);
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
          &map),
      "r"(x), "r"(y), "r"(hopper::address(tile))
      : "memory");
  hopper::commit_stores();
  hopper::wait_stores();
}

void show(const char* what, int columns, int x, const unsigned char* bytes, int count) {
  printf("%s %d at %d:", what, columns, x);
  for (int i = 0; i < count; ++i) printf(" %02x", bytes[i]);
  printf("\n");
}

int main() {
  unsigned char *data, *out;
  cudaMallocManaged(&data, 1024);
  cudaMallocManaged(&out, box_bytes);
  const struct {
    const char* name;
    CUtensorMapDataType type;
    int size;
  } types[] = {{"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
               {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
               {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4}};
  for (const auto& t : types) {
    for (int columns : {1, 2, 3, 5, 7}) {
      for (int x : {0, -2, 1}) {
        const Tensor tensor{2,
                            t.size,
                            {cuuint64_t(columns), rows},
                            {pitch},
                            {cuuint32_t(box_columns / t.size), rows},
                            {1, 1}};
        CUtensorMap map;
        if (encode(&map, tensor, t.type, data, CU_TENSOR_MAP_SWIZZLE_NONE) != CUDA_SUCCESS) {
          printf("%s %d: refused\n", t.name, columns);
          continue;
        }
        for (int i = 0; i < 1024; ++i) data[i] = static_cast<unsigned char>(0x80 + i % 61);
        fetch<2><<<1, 64>>>(map, Place{{x, 0}}, box_bytes, out);
        if (const cudaError_t error = cudaDeviceSynchronize())
          printf("%s\n", cudaGetErrorName(error));
        show((std::string("load ") + t.name).c_str(), columns, x, out, box_columns);
        store<<<1, 64>>>(map, x, 0);
        if (const cudaError_t error = cudaDeviceSynchronize())
          printf("%s\n", cudaGetErrorName(error));
        show((std::string("store ") + t.name).c_str(), columns, x, data, box_columns);
        show("its last row", columns, x, data + (rows - 1) * pitch, box_columns);
      }
    }
  }
  return finished();
}
