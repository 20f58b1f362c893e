// Inline PTX on half and bfloat16, and between the lanes of a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

#define ONE(NAME, OPCODE)                            \
  __device__ unsigned short NAME(unsigned short a) { \
    unsigned short d;                                \
    asm(OPCODE " %0, %1;" : "=h"(d) : "h"(a));       \
    return d;                                        \
  }
#define TWO(NAME, OPCODE, C, T)                         \
  __device__ T NAME(T a, T b) {                         \
    T d;                                                \
    asm(OPCODE " %0, %1, %2;" : "=" C(d) : C(a), C(b)); \
    return d;                                           \
  }
#define THREE(NAME, OPCODE, C, T)                                 \
  __device__ T NAME(T a, T b, T c) {                              \
    T d;                                                          \
    asm(OPCODE " %0, %1, %2, %3;" : "=" C(d) : C(a), C(b), C(c)); \
    return d;                                                     \
  }
TWO(add_half, "add.f16", "h", unsigned short)
TWO(sub_half, "sub.rn.f16", "h", unsigned short)
TWO(mul_half, "mul.f16", "h", unsigned short)
TWO(mul_sat, "mul.sat.f16", "h", unsigned short)
TWO(mul_ftz, "mul.ftz.f16", "h", unsigned short)
TWO(min_half, "min.f16", "h", unsigned short)
TWO(max_half, "max.f16", "h", unsigned short)
TWO(max_nan, "max.NaN.f16", "h", unsigned short)
TWO(add_pair, "add.f16x2", "r", unsigned)
TWO(mul_brain, "mul.bf16x2", "r", unsigned)
TWO(max_brain, "max.bf16", "h", unsigned short)
THREE(fma_half, "fma.rn.f16", "h", unsigned short)
THREE(fma_relu, "fma.rn.relu.f16", "h", unsigned short)
THREE(fma_pair, "fma.rn.f16x2", "r", unsigned)
THREE(fma_brain, "fma.rn.bf16", "h", unsigned short)
ONE(neg_half, "neg.f16")
ONE(abs_half, "abs.f16")
ONE(exp_half, "ex2.approx.f16")
ONE(tanh_half, "tanh.approx.f16")
ONE(exp_brain, "ex2.approx.ftz.bf16")

#define LESS(NAME, COMPARISON)                                                   \
  __device__ int NAME(unsigned short a, unsigned short b) {                      \
    int d;                                                                       \
    asm("{ .reg .pred p; setp." COMPARISON " p, %1, %2; selp.s32 %0, 1, 0, p; }" \
        : "=r"(d)                                                                \
        : "h"(a), "h"(b));                                                       \
    return d;                                                                    \
  }
LESS(lt, "lt.f16")
LESS(ne, "ne.f16")
LESS(neu, "neu.f16")
LESS(geu, "geu.bf16")

__device__ unsigned short h(float x) {
  return __half_as_ushort(__float2half(x));
}
__device__ unsigned short b(float x) {
  return __bfloat16_as_ushort(__float2bfloat16(x));
}
__device__ unsigned pair(unsigned short low, unsigned short high) {
  return low | unsigned(high) << 16;
}

__global__ void arithmetic() {
  const unsigned short nan = 0x7FFF, tiny = 1;
  printf("%04x %04x %04x\n", add_half(h(1.5f), h(2.25f)), sub_half(h(1), h(3)),
         mul_half(h(3), h(-5)));
  printf("%04x %04x %04x\n", add_half(h(2048), h(1)), add_half(h(65504), h(32)),
         mul_half(h(60000), h(2)));
  printf("%04x %04x %04x\n", mul_sat(h(3), h(5)), mul_sat(h(-1), h(5)), mul_ftz(tiny, h(1)));
  printf("%04x %04x %04x %04x\n", min_half(h(2), nan), max_half(h(-0.0f), h(0)), max_nan(nan, h(1)),
         min_half(h(-3), h(2)));
  printf("%08x %08x\n", add_pair(pair(h(1), h(-2)), pair(h(3), h(4))),
         mul_brain(pair(b(1.5f), b(2)), pair(b(2), b(-3))));
  printf("%04x %04x %08x %04x\n", fma_half(h(3), h(4), h(0.5f)), fma_relu(h(-3), h(4), h(0.5f)),
         fma_pair(pair(h(1), h(2)), pair(h(3), h(4)), pair(h(5), h(6))),
         fma_brain(b(3), b(4), b(1)));
  printf("%04x %04x %04x %04x %04x\n", neg_half(h(2)), abs_half(h(-7)), exp_half(h(3)),
         tanh_half(h(0)), exp_brain(b(-2)));
  printf("%d%d%d %d%d%d %d%d %d\n", lt(h(-1), h(1)), lt(h(1), h(-1)), lt(nan, h(1)), ne(h(1), h(2)),
         ne(nan, h(2)), neu(nan, h(2)), neu(h(1), h(1)), geu(b(1), b(2)), geu(nan, b(2)));
  printf("%04x\n", max_brain(b(2), b(-9)));
}

__global__ void lanes(int* bad) {
  const int t = threadIdx.x;
  float value = t + 0.5f, other;
  int there;
  asm volatile(
      "{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 3, 0x1f, 0xffffffff; selp.s32 %1, 1, 0, p; }"
      : "=f"(other), "=r"(there)
      : "f"(value));
  if (there != (t + 3 < 32) || other != (t + 3 < 32 ? value + 3 : value)) atomicAdd(bad, 1);
  unsigned up, across, first;
  asm volatile("shfl.sync.up.b32 %0, %1, 1, 0x0, 0xffffffff;" : "=r"(up) : "r"(t));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(across) : "r"(t));
  // Segments of eight lanes.
  asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x181f, 0xffffffff;" : "=r"(first) : "r"(t));
  if (up != unsigned(t == 0 ? 0 : t - 1) || across != unsigned(t ^ 5)) atomicAdd(bad, 100);
  if (first != unsigned(t / 8 * 8 + 2)) atomicAdd(bad, 10000);
  unsigned ballot, same, sum;
  int least, all;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(ballot)
               : "r"(t));
  asm volatile(
      "{ .reg .pred p, q; setp.ge.s32 p, %1, 0; vote.sync.all.pred q, p, 0xffffffff;"
      " selp.s32 %0, 1, 0, q; }"
      : "=r"(all)
      : "r"(t));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(t % 4));
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(t));
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(t - 9));
  if (ballot != 31 || all != 1 || same != 0x11111111u << t % 4) atomicAdd(bad, 1000000);
  if (sum != 496 || least != -9) atomicAdd(bad, 10000000);
}

int main() {
  arithmetic<<<1, 1>>>();
  int* bad;
  cudaMallocManaged(&bad, sizeof(int));
  *bad = 0;
  lanes<<<1, 32>>>(bad);
  printf("%s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *bad);
  cudaFree(bad);
}
