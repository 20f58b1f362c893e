// Tensor core products of a warp group (Hopper): d (64 x N, in registers) += a (64 x K) * b (K x
// N), b in shared memory behind a descriptor, a there too or in registers, K = 32 bytes. The product is asynchronous: fence,
// multiply…, commit, wait.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "core/ptx/address.cuh"

namespace warpath::ptx {

// A tile whose rows are 128 bytes long, laid out by TMA with its 128-byte swizzle, 8
// rows (1024 bytes) per pattern, starting at a multiple of 1024. Where K runs along a row, `stride`
// leads from 8 rows to the next 8. Where the other axis does (64 elements per row), `stride` leads
// from 8 values of k to the next 8 and `leading` from 64 elements to the next 64.
__device__ __forceinline__ std::uint64_t descriptor(const void* tile, unsigned leading_bytes,
                                                    unsigned stride_bytes) {
  return std::uint64_t(shared_address(tile) & 0x3ffff) >> 4 |
         std::uint64_t(leading_bytes >> 4) << 16 | std::uint64_t(stride_bytes >> 4) << 32 |
         std::uint64_t(1) << 62;
}
__device__ __forceinline__ std::uint64_t advance(std::uint64_t descriptor, unsigned bytes) {
  return descriptor + (bytes >> 4);
}

// Before the first product that uses registers or accumulators which the threads have written.
__device__ __forceinline__ void fence_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Keeps the compiler from moving uses of the accumulators across this point.
template <int Count>
__device__ __forceinline__ void hold([[maybe_unused]] float (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

// Waits until at most `Left` committed groups are still running.
template <int Left>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
// Waits until all are done and d may be read.
template <int Count>
__device__ __forceinline__ void wait_products(float (&d)[Count]) {
  wait_products<0>();
  hold(d);
}

#define WARPATH_NAMES_0                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WARPATH_NAMES_32                                                             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WARPATH_NAMES_64                                                             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WARPATH_NAMES_96                                                                         \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define WARPATH_8(C, d, i) \
  C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3]), C(d[i + 4]), C(d[i + 5]), C(d[i + 6]), C(d[i + 7])
#define WARPATH_32(C, d, i) \
  WARPATH_8(C, d, i), WARPATH_8(C, d, i + 8), WARPATH_8(C, d, i + 16), WARPATH_8(C, d, i + 24)

#define WARPATH_NAMES_OF_64 WARPATH_NAMES_0
#define WARPATH_NAMES_OF_128 WARPATH_NAMES_OF_64 ", " WARPATH_NAMES_32
#define WARPATH_NAMES_OF_192 WARPATH_NAMES_OF_128 ", " WARPATH_NAMES_64
#define WARPATH_NAMES_OF_256 WARPATH_NAMES_OF_192 ", " WARPATH_NAMES_96
#define WARPATH_VALUES_OF_64(C, d) WARPATH_32(C, d, 0)
#define WARPATH_VALUES_OF_128(C, d) WARPATH_VALUES_OF_64(C, d), WARPATH_32(C, d, 32)
#define WARPATH_VALUES_OF_192(C, d) WARPATH_VALUES_OF_128(C, d), WARPATH_32(C, d, 64)
#define WARPATH_VALUES_OF_256(C, d) WARPATH_VALUES_OF_192(C, d), WARPATH_32(C, d, 96)

// A, B, P, TA, TB: the numbers of the operands after the N / 2 accumulators.
#define WARPATH_WGMMA_16(N, TYPE, A, B, P, TA, TB)                                                \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #P                                        \
               ", 0;\n\t"                                                                         \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE                    \
               " {" WARPATH_NAMES_OF_##N "}, %" #A ", %" #B ", p, 1, 1, %" #TA ", %" #TB ";\n\t}" \
               : WARPATH_VALUES_OF_##N("+f", d)                                                   \
               : "l"(a), "l"(b), "r"(int(accumulate)), "n"(int(ATransposed)),                     \
                 "n"(int(BTransposed)))
#define WARPATH_WGMMA_TF32(N, A, B, P)                                                          \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #P                                      \
               ", 0;\n\t"                                                                       \
               "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" WARPATH_NAMES_OF_##N \
               "}, %" #A ", %" #B ", p, 1, 1;\n\t}"                                             \
               : WARPATH_VALUES_OF_##N("+f", d)                                                 \
               : "l"(a), "l"(b), "r"(int(accumulate)))
#define WARPATH_WGMMA(N, A, B, P, TA, TB)              \
  if constexpr (std::is_same_v<T, __half>)             \
    WARPATH_WGMMA_16(N, "f16", A, B, P, TA, TB);       \
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) \
    WARPATH_WGMMA_16(N, "bf16", A, B, P, TA, TB);      \
  else                                                 \
    WARPATH_WGMMA_TF32(N, A, B, P)

#define WARPATH_WGMMA_REGISTERS_OF(N, TYPE, A, B, C, D, E, P, TB)                          \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #P                                 \
               ", 0;\n\t"                                                                  \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE             \
               " {" WARPATH_NAMES_OF_##N "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E   \
                                         ", p, 1, 1, %" #TB ";\n\t}"                       \
               : WARPATH_VALUES_OF_##N("+f", d)                                            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(accumulate)), \
                 "n"(int(BTransposed)))
#define WARPATH_WGMMA_REGISTERS(N, A, B, C, D, E, P, TB)        \
  if constexpr (std::is_same_v<T, __half>)                      \
    WARPATH_WGMMA_REGISTERS_OF(N, "f16", A, B, C, D, E, P, TB); \
  else                                                          \
    WARPATH_WGMMA_REGISTERS_OF(N, "bf16", A, B, C, D, E, P, TB)

// The same with a, 64 x 16 elements of 16 bits, in registers: each warp has 16 rows of it, as mma.sync wants them
// (mma.cuh), which is how two columns of accumulators lie when rounded. The registers must not change before the
// product is done.
template <class T, bool BTransposed, int Count>
__device__ __forceinline__ void multiply(float (&d)[Count], const std::uint32_t (&a)[4],
                                         std::uint64_t b, bool accumulate) {
  static_assert(sizeof(T) == 2, "f16 or bf16");
  constexpr int N = 2 * Count;
  static_assert(N == 64 || N == 128 || N == 192 || N == 256);
  if constexpr (N == 64) {
    WARPATH_WGMMA_REGISTERS(64, 32, 33, 34, 35, 36, 37, 38);
  } else if constexpr (N == 128) {
    WARPATH_WGMMA_REGISTERS(128, 64, 65, 66, 67, 68, 69, 70);
  } else if constexpr (N == 192) {
    WARPATH_WGMMA_REGISTERS(192, 96, 97, 98, 99, 100, 101, 102);
  } else {
    WARPATH_WGMMA_REGISTERS(256, 128, 129, 130, 131, 132, 133, 134);
  }
}

// d = a * b, plus what d held if `accumulate`. T float: the inputs are read as tf32. A transposed
// operand has its other axis, not K, along its rows.
template <class T, bool ATransposed, bool BTransposed, int Count>
__device__ __forceinline__ void multiply(float (&d)[Count], std::uint64_t a, std::uint64_t b,
                                         bool accumulate) {
  static_assert(sizeof(T) == 2 || std::is_same_v<T, float>, "f16, bf16, or f32 as tf32");
  static_assert(sizeof(T) == 2 || (!ATransposed && !BTransposed), "tf32 wants K along the rows");
  constexpr int N = 2 * Count;
  static_assert(N == 64 || N == 128 || N == 192 || N == 256);
  if constexpr (N == 64) {
    WARPATH_WGMMA(64, 32, 33, 34, 35, 36);
  } else if constexpr (N == 128) {
    WARPATH_WGMMA(128, 64, 65, 66, 67, 68);
  } else if constexpr (N == 192) {
    WARPATH_WGMMA(192, 96, 97, 98, 99, 100);
  } else {
    WARPATH_WGMMA(256, 128, 129, 130, 131, 132);
  }
}

#define WARPATH_WGMMA_FIRST_OF(N, TYPE, A, B, TA, TB)                                           \
  asm volatile(                                                                                 \
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, 0, 0;\n\t"                                          \
      "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" WARPATH_NAMES_OF_##N \
      "}, %" #A ", %" #B ", p, 1, 1, %" #TA ", %" #TB ";\n\t}"                                  \
      : WARPATH_VALUES_OF_##N("=f", d)                                                          \
      : "l"(a), "l"(b), "n"(int(ATransposed)), "n"(int(BTransposed)))
#define WARPATH_WGMMA_FIRST(N, A, B, TA, TB)        \
  if constexpr (std::is_same_v<T, __half>)          \
    WARPATH_WGMMA_FIRST_OF(N, "f16", A, B, TA, TB); \
  else                                              \
    WARPATH_WGMMA_FIRST_OF(N, "bf16", A, B, TA, TB)

// d = a * b for 16-bit types, whatever d held. While other products are in flight the compiler must not move old values
// into d's registers, as it may do for multiply() with `accumulate` false: it would then wait for all products first.
template <class T, bool ATransposed, bool BTransposed, int Count>
__device__ __forceinline__ void multiply_first(float (&d)[Count], std::uint64_t a,
                                               std::uint64_t b) {
  static_assert(sizeof(T) == 2 && (Count == 32 || Count == 64));
  if constexpr (Count == 32) {
    WARPATH_WGMMA_FIRST(64, 32, 33, 34, 35);
  } else {
    WARPATH_WGMMA_FIRST(128, 64, 65, 66, 67);
  }
}

#undef WARPATH_WGMMA_FIRST
#undef WARPATH_WGMMA_FIRST_OF
#undef WARPATH_WGMMA_REGISTERS
#undef WARPATH_WGMMA_REGISTERS_OF
#undef WARPATH_WGMMA
#undef WARPATH_WGMMA_TF32
#undef WARPATH_WGMMA_16
#undef WARPATH_VALUES_OF_256
#undef WARPATH_VALUES_OF_192
#undef WARPATH_VALUES_OF_128
#undef WARPATH_VALUES_OF_64
#undef WARPATH_NAMES_OF_256
#undef WARPATH_NAMES_OF_192
#undef WARPATH_NAMES_OF_128
#undef WARPATH_NAMES_OF_64
#undef WARPATH_32
#undef WARPATH_8
#undef WARPATH_NAMES_96
#undef WARPATH_NAMES_64
#undef WARPATH_NAMES_32
#undef WARPATH_NAMES_0

}  // namespace warpath::ptx
