// TMA: how boxes lie in shared memory with every swizzle and type, what stands for elements outside, and what
// stores and reductions leave behind; rows narrower than their swizzle; what loads make of numbers. Boxes begin at
// multiples of 16 bytes, those of stores not before the tensor: hopper_starts has the others. A line is a checksum
// of the bytes and some of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <vector>

#include "../programs/hopper_boxes.h"
#include "facts.h"

unsigned long long checksum(const unsigned char* bytes, int count) {
  unsigned long long sum = 14695981039346656037ull;
  for (int i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 1099511628211ull;
  return sum;
}

void tell(const char* name, int number, const unsigned char* bytes, int count) {
  printf("%s %d: %016llx", name, number, checksum(bytes, count));
  for (int i = 0; i < 16; ++i) printf(" %02x", bytes[(i * 37 + 5) % count]);
  printf("\n");
}

unsigned char *data, *out;

template <int Rank>
void box(const char* name, int number, const Tensor& t, CUtensorMapDataType type, int swizzle,
         Place p, CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
  CUtensorMap map;
  const CUresult status =
      encode(&map, t, type, data, static_cast<CUtensorMapSwizzle>(swizzle), fill);
  if (status != CUDA_SUCCESS) {
    printf("%s %d: refused, %d\n", name, number, int(status));
    return;
  }
  const int rows = rows_of(t), room = rows * pitch_of(t, swizzle);
  fetch<Rank><<<1, 64>>>(map, p, rows * row_of(t), room, out);
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
  tell(name, number, out, room);
}

// A matrix of 64 x 16 elements; `bytes` is what the box takes in shared memory.
__global__ void store(const __grid_constant__ CUtensorMap map, int how, int x, int bytes,
                      const unsigned char* from) {
  __shared__ alignas(1024) unsigned char tile[4096];
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) tile[i] = from[i];
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
#define STORE(WHAT)                                                       \
  asm volatile(WHAT " [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(9), \
               "r"(hopper::address(tile))                                 \
               : "memory")
#define REDUCE(OP) STORE("cp.reduce.async.bulk.tensor.2d.global.shared::cta." OP ".tile.bulk_group")
  switch (how) {
    case 0:
      STORE("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group");
      break;
    case 1:
      REDUCE("add");
      break;
    case 2:
      REDUCE("min");
      break;
    case 3:
      REDUCE("max");
      break;
    case 4:
      REDUCE("and");
      break;
    case 5:
      REDUCE("or");
      break;
    case 6:
      REDUCE("xor");
      break;
    case 7:
      REDUCE("inc");
      break;
    default:
      REDUCE("dec");
      break;
  }
  hopper::commit_stores();
  hopper::wait_stores();
}

// Numbers that have no place in tf32, or are too small: all of them.
void numbers(unsigned char* here) {
  const unsigned words[] = {0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000, 0xbf801000, 0xbf803000,
                            0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc01000, 0xffffffff,
                            0x00000001, 0x007fffff, 0x80001000, 0x807fe000};
  memcpy(here, words, sizeof words);
  const Tensor t{1, 4, {16}, {}, {16}, {1}};
  for (auto type : {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
                    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ}) {
    CUtensorMap map;
    encode(&map, t, type, here, CU_TENSOR_MAP_SWIZZLE_NONE);
    fetch<1><<<1, 64>>>(map, {{0}}, 64, 64, out);
    if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
    printf("numbers of type %d:", int(type));
    for (int i = 0; i < 16; ++i) printf(" %08x", reinterpret_cast<unsigned*>(out)[i]);
    printf("\n");
  }
}

// Stores and sums out of rows narrower than their swizzle.
void narrow_stores(unsigned char* here) {
  int number = 0;
  for (int swizzle = 1; swizzle < 4; ++swizzle) {
    for (int columns = 4; 4 * columns < 16 << swizzle; columns *= 2) {
      for (int how : {0, 1}) {
        const int room = 8 * (16 << swizzle);
        for (int i = 0; i < 64 * 16 * 4; ++i) here[i] = static_cast<unsigned char>(i * 29);
        for (int i = 0; i < room; ++i) out[i] = static_cast<unsigned char>(i * 7 + i / 128);
        const CUtensorMap map =
            hopper::matrix_map(CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, here, 64, 16, columns, 8,
                               static_cast<CUtensorMapSwizzle>(swizzle));
        store<<<1, 64>>>(map, how, 8, room, out);
        if (const cudaError_t error = cudaDeviceSynchronize())
          printf("%s\n", cudaGetErrorName(error));
        tell("narrow store", number++, here, 64 * 16 * 4);
      }
    }
  }
}

struct Stored {
  const char* name;
  CUtensorMapDataType type;
  int size;
  unsigned ways;  // bits of `how`
};

int main() {
  const int bytes = 1 << 17;
  cudaMallocManaged(&data, bytes);
  cudaMallocManaged(&out, 16384);
  for (int i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(i * 151 + i / 256 * 7 + i / 65536);

  const auto half = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  int number = 0;
  // Rows as long as the swizzle's span, and shorter ones.
  for (int swizzle = 0; swizzle < 4; ++swizzle) {
    for (int inner : {8, 16, 32, 64}) {
      for (int x : {0, -8, 96}) {
        for (int y : {0, 33}) {
          const Tensor t{2, 2, {100, 40}, {208}, {cuuint32_t(inner), 24}, {1, 1}};
          box<2>("matrix", number++, t, half, swizzle, {{x, y}});
        }
      }
    }
  }
  number = 0;
  const CUtensorMapDataType types[] = {
      CU_TENSOR_MAP_DATA_TYPE_UINT8,       CU_TENSOR_MAP_DATA_TYPE_UINT16,
      CU_TENSOR_MAP_DATA_TYPE_UINT32,      CU_TENSOR_MAP_DATA_TYPE_INT32,
      CU_TENSOR_MAP_DATA_TYPE_UINT64,      CU_TENSOR_MAP_DATA_TYPE_INT64,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT16,     CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT64,     CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
  const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  for (int i = 0; i < 13; ++i) {
    for (int nan = 0; nan < 2; ++nan) {
      const Tensor t{2, sizes[i], {20, 10}, {cuuint64_t(32 * sizes[i])}, {16, 4}, {1, 1}};
      box<2>("type", number++, t, types[i], 0, {{16, 7}},
             nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                 : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
  }
  number = 0;
  const Tensor line{1, 4, {1000}, {}, {64}, {1}};
  const Tensor solid{3, 4, {20, 10, 6}, {80, 800}, {8, 4, 3}, {1, 1, 1}};
  const Tensor steps{3, 1, {48, 10, 6}, {48, 480}, {32, 7, 4}, {1, 3, 2}};
  const Tensor first_step{2, 4, {40, 10}, {160}, {32, 4}, {2, 1}};
  const Tensor deep{4, 2, {13, 5, 4, 3}, {32, 160, 640}, {8, 3, 2, 2}, {1, 1, 1, 1}};
  const Tensor five{5, 8, {6, 4, 3, 3, 2}, {48, 192, 576, 1728}, {4, 2, 2, 2, 2}, {1, 1, 1, 1, 1}};
  box<1>("rank 1", 0, line, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 0, {{960}});
  for (int swizzle = 0; swizzle < 4; ++swizzle) {
    box<3>("rank 3", swizzle, solid, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle, {{-4, 2, 4}});
    box<3>("steps", swizzle, steps, CU_TENSOR_MAP_DATA_TYPE_UINT8, swizzle, {{16, -2, 1}});
    box<2>("step of the first axis", swizzle, first_step, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle,
           {{4, 1}});
    box<4>("rank 4", swizzle, deep, half, swizzle, {{8, 1, -1, 2}});
    box<5>("rank 5", swizzle, five, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, swizzle, {{4, 3, 1, -1, 1}});
  }

  numbers(data);
  narrow_stores(data);
  // Numbers, not any bytes: the same in every run.
  const Stored stored[] = {{"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 0x0f},
                           {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, 0x0f},
                           {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 0x03},
                           {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 0x1ff},
                           {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 0x0f},
                           {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, 0x7f},
                           {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8, 0x0d}};
  int place = 0;
  for (const Stored& s : stored) {
    for (int how = 0; how < 9; ++how) {
      if ((s.ways >> how & 1) == 0) continue;
      for (int swizzle : {0, 3}) {
        unsigned char* const here = data + (place++ % 8) * 16384;
        for (int i = 0; i < 64 * 16; ++i) {
          const float value = float(i * 37 % 101 - 50) / 8;
          const long long whole =
              s.type == CU_TENSOR_MAP_DATA_TYPE_INT32 || s.type == CU_TENSOR_MAP_DATA_TYPE_INT64
                  ? i * 37 % 101 - 50
                  : i * 37 % 101;
          const __half h = __float2half(value);
          const __nv_bfloat16 b = __float2bfloat16(value);
          if (s.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
            memcpy(here + 2 * i, &h, 2);
          else if (s.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)
            memcpy(here + 2 * i, &b, 2);
          else if (s.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32)
            memcpy(here + 4 * i, &value, 4);
          else
            memcpy(here + s.size * i, &whole, s.size);
        }
        const int columns = 64 / s.size * 2;  // rows of 128 bytes
        for (int i = 0; i < columns * 8; ++i)
          memcpy(out + i * s.size, here + (i * 5 % 512) * s.size, s.size);
        const CUtensorMap map = hopper::matrix_map(s.type, s.size, here, 64, 16, columns, 8,
                                                   static_cast<CUtensorMapSwizzle>(swizzle));
        store<<<1, 64>>>(map, how, 56, columns * 8 * s.size, out);
        if (const cudaError_t error = cudaDeviceSynchronize())
          printf("%s\n", cudaGetErrorName(error));
        char name[32];
        snprintf(name, sizeof name, "store %s %d", s.name, how);
        tell(name, swizzle, here, 64 * 16 * s.size);
      }
    }
  }
  return finished();
}
