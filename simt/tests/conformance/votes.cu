// Votes, matches and reductions of a warp, for all lanes and for some.
#include "facts.h"

__device__ int keys[32] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3,
                           2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};

#define TELL(format, expression)                                                        \
  {                                                                                     \
    const auto answer = expression;                                                     \
    if (lane == first) printf(#expression ", mask 0x%08x: " format "\n", mask, answer); \
  }

__global__ void votes(unsigned mask) {
  const int lane = threadIdx.x, first = __ffs(mask) - 1;
  if (!(mask >> lane & 1)) return;
  const int key = keys[lane];
  const unsigned bits = key * 0x01010101u << lane % 7;
  TELL("0x%08x", __ballot_sync(mask, key > 4))
  TELL("0x%08x", __ballot_sync(mask, true))
  TELL("%d", __any_sync(mask, key == 9) != 0)
  TELL("%d", __any_sync(mask, key == 77) != 0)
  TELL("%d", __all_sync(mask, key > 0) != 0)
  TELL("%d", __all_sync(mask, key > 3) != 0)
  TELL("0x%08x", __match_any_sync(mask, key))
  TELL("0x%08x", __match_any_sync(mask, key * 0x100000001ll))
  int same = 7;
  TELL("0x%08x", __match_all_sync(mask, key, &same))
  TELL("%d", same)
  TELL("0x%08x", __match_all_sync(mask, 1.5f, &same))
  TELL("%d", same)
  TELL("%u", __reduce_add_sync(mask, bits))
  TELL("%d", __reduce_add_sync(mask, key - 5))
  TELL("%d", __reduce_min_sync(mask, key - 5))
  TELL("%d", __reduce_max_sync(mask, key - 5))
  TELL("%u", __reduce_min_sync(mask, static_cast<unsigned>(key - 5)))
  TELL("%u", __reduce_max_sync(mask, static_cast<unsigned>(key - 5)))
  TELL("0x%08x", __reduce_and_sync(mask, bits | 0xff00ff00u))
  TELL("0x%08x", __reduce_or_sync(mask, bits))
  TELL("0x%08x", __reduce_xor_sync(mask, bits))
}

__global__ void matches() {
  __shared__ unsigned all[32];
  all[threadIdx.x] = __match_any_sync(0xffffffffu, keys[threadIdx.x]);
  __syncthreads();
  for (int lane = 0; threadIdx.x == 0 && lane < 32; ++lane)
    printf("match of lane %d: 0x%08x\n", lane, all[lane]);
}

__global__ void blocks() {
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < 96), any = __syncthreads_or(threadIdx.x == 95);
  const int none = __syncthreads_or(threadIdx.x == 96);
  if (threadIdx.x == 50)
    printf("count: %d\nand: %d\nor: %d\nor of none: %d\n", count, all != 0, any != 0, none != 0);
}

int main() {
  for (unsigned mask : {0xffffffffu, 0x0000ffffu, 0xf0f0f0f0u, 0x80000001u, 0x00010000u}) {
    votes<<<1, 32>>>(mask);
    cudaDeviceSynchronize();
  }
  matches<<<1, 32>>>();
  cudaDeviceSynchronize();
  blocks<<<1, 96>>>();
  return finished();
}
