// TMA where a row of the tensor does not end at a multiple of 16 bytes: what a load brings from behind the end, and what a
// store and a sum write there.
#include <string>

#include "../programs/hopper_boxes.h"
#include "facts.h"

constexpr int pitch = 64, rows = 3, box_columns = 32, box_bytes = rows * box_columns;

__global__ void store(const __grid_constant__ CUtensorMap map, int x, bool add) {
  __shared__ alignas(1024) unsigned char tile[box_bytes];
  for (int i = threadIdx.x; i < box_bytes; i += blockDim.x) tile[i] = static_cast<unsigned char>(i);
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (add) {
    hopper::add_2d(&map, x, 0, tile);
  } else {
    hopper::store_2d(&map, x, 0, tile);
  }
  hopper::commit_stores();
  hopper::wait_stores();
}

void show(const std::string& what, int columns, int x, const unsigned char* bytes) {
  printf("%s %d at %d:", what.c_str(), columns, x);
  for (int i = 0; i < box_columns; ++i) printf(" %02x", bytes[i]);
  printf("\n");
}

void finish() {
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
}

struct Type {
  const char* name;
  CUtensorMapDataType type;
  int size;
  bool adds;
};

void edge(const Type& t, int columns, int x, unsigned char* data, unsigned char* out) {
  const Tensor tensor{
      2,     t.size, {cuuint64_t(columns), rows}, {pitch}, {cuuint32_t(box_columns / t.size), rows},
      {1, 1}};
  const std::string name = t.name;
  CUtensorMap map;
  if (encode(&map, tensor, t.type, data, CU_TENSOR_MAP_SWIZZLE_NONE) != CUDA_SUCCESS) {
    printf("%s %d: refused\n", t.name, columns);
    return;
  }
  const auto refill = [&] {
    for (int i = 0; i < 1024; ++i) data[i] = static_cast<unsigned char>(0x80 + i % 61);
  };
  refill();
  fetch<2><<<1, 64>>>(map, Place{{x, 0}}, box_bytes, box_bytes, out);
  finish();
  show("load " + name, columns, x, out);
  if (x < 0) return;  // only loads may begin there
  for (int add = 0; add < (t.adds ? 2 : 1); ++add) {
    refill();
    store<<<1, 64>>>(map, x, add == 1);
    finish();
    show((add == 1 ? "sum " : "store ") + name, columns, x, data);
    show("its last row", columns, x, data + (rows - 1) * pitch);
  }
}

int main() {
  unsigned char *data, *out;
  cudaMallocManaged(&data, 1024);
  cudaMallocManaged(&out, box_bytes);
  const Type types[] = {{"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},
                        {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true},
                        {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true},
                        {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
                        {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, true},
                        {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, true}};
  for (const Type& t : types) {
    for (int columns : {1, 2, 3, 5, 7}) {
      for (int x : {0, -16 / t.size, 16 / t.size}) edge(t, columns, x, data, out);
    }
  }
  return finished();
}
