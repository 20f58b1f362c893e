// Boxes of tensors of any rank, brought to shared memory and copied out as they lie there.
#pragma once
#include "hopper.h"

struct Place {
  int at[5];
};

template <int Rank>
__device__ void load_box(void* to, const CUtensorMap* map, Place p, uint64_t* bar) {
#define LOAD(DIMS, COORDINATES, BAR)                                                       \
  asm volatile(                                                                            \
      "cp.async.bulk.tensor." DIMS                                                         \
      ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES \
      "}], [" BAR "];" ::"r"(hopper::address(to)),                                         \
      "l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]),      \
      "r"(hopper::address(bar))                                                            \
      : "memory")
  if constexpr (Rank == 1) LOAD("1d", "%2", "%7");
  if constexpr (Rank == 2) LOAD("2d", "%2, %3", "%7");
  if constexpr (Rank == 3) LOAD("3d", "%2, %3, %4", "%7");
  if constexpr (Rank == 4) LOAD("4d", "%2, %3, %4, %5", "%7");
  if constexpr (Rank == 5) LOAD("5d", "%2, %3, %4, %5, %6", "%7");
}

// What lies between narrow rows shows: shared memory is full of this before.
constexpr unsigned char untouched = 0xee;

template <int Rank>
__global__ void fetch(const __grid_constant__ CUtensorMap map, Place p, unsigned bytes,
                      unsigned room, unsigned char* out) {
  __shared__ alignas(1024) unsigned char box[16384];
  __shared__ uint64_t bar;
  for (unsigned i = threadIdx.x; i < room; i += blockDim.x) box[i] = untouched;
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    hopper::init(&bar, 1);
    hopper::fence_init();
    hopper::expect(&bar, bytes);
    load_box<Rank>(box, &map, p, &bar);
  }
  __syncthreads();
  hopper::wait(&bar, 0);
  for (unsigned i = threadIdx.x; i < room; i += blockDim.x) out[i] = box[i];
}

struct Tensor {
  int rank, size;  // of an element
  cuuint64_t dims[5], strides[4];
  cuuint32_t box[5], steps[5];
};

inline int row_of(const Tensor& t) {
  return t.size * int(t.box[0]);
}
// From row to row in shared memory: with a swizzle, its whole span.
inline int pitch_of(const Tensor& t, int swizzle) {
  const int span = swizzle != 0 ? 16 << swizzle : 0;
  return row_of(t) > span ? row_of(t) : span;
}
inline int rows_of(const Tensor& t) {
  int rows = 1;
  for (int d = 1; d < t.rank; ++d) rows *= int((t.box[d] + t.steps[d] - 1) / t.steps[d]);
  return rows;
}

CUresult encode(CUtensorMap* map, const Tensor& t, CUtensorMapDataType type, void* data,
                CUtensorMapSwizzle swizzle,
                CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
  return hopper::encoder()(map, type, t.rank, data, t.dims, t.strides, t.box, t.steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           fill);
}
