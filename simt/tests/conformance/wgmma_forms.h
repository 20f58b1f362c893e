// wgmma in the forms that the tests try: every pair of types, N from 8 to 256, A in shared memory or in
// registers, either operand turned where that exists. One function each: D's registers, A, B, whether D is added.
#pragma once
#include <cstdint>

#define NAMES_4 "%0, %1, %2, %3"
#define NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define NAMES_12 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#define NAMES_32                                                                               \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, "                                                                                      \
  "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64                                                                               \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, "                                                                                      \
  "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, " \
  "%39, "                                                                                      \
  "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, " \
  "%58, "                                                                                      \
  "%59, %60, %61, %62, %63"
#define NAMES_128                                                                                 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "    \
  "%20, "                                                                                         \
  "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, "    \
  "%39, "                                                                                         \
  "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "    \
  "%58, "                                                                                         \
  "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "    \
  "%77, "                                                                                         \
  "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "    \
  "%96, "                                                                                         \
  "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, " \
  "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define VALUES_4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define VALUES_8(c, d, i) VALUES_4(c, d, i), VALUES_4(c, d, i + 4)
#define VALUES_12(c, d, i) VALUES_8(c, d, i), VALUES_4(c, d, i + 8)
#define VALUES_32(c, d, i) VALUES_12(c, d, i), VALUES_12(c, d, i + 12), VALUES_8(c, d, i + 24)
#define VALUES_64(c, d, i) VALUES_32(c, d, i), VALUES_32(c, d, i + 32)
#define VALUES_128(c, d, i) VALUES_64(c, d, i), VALUES_64(c, d, i + 64)

// R: registers of D; the operands behind them are %R and so on.
#define FORM(NAME, R, REGISTER, CONSTRAINT, OPCODE, A, B, P, TAIL)                                 \
  struct NAME {                                                                                    \
    using Register = REGISTER;                                                                     \
    static constexpr int registers = R;                                                            \
    static __device__ void run(REGISTER (&d)[R], uint64_t a, uint64_t b, int adds) {               \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P                                           \
                   ", 0;\nwgmma.mma_async.sync.aligned." OPCODE " {" NAMES_##R "}, " A ", " B      \
                                                                               ", p" TAIL ";\n}\n" \
                   : VALUES_##R(CONSTRAINT, d, 0)                                                  \
                   : "l"(a), "l"(b), "r"(adds));                                                   \
    }                                                                                              \
  };
#define FORM_A(NAME, R, REGISTER, CONSTRAINT, OPCODE, A, B, P, TAIL)                               \
  struct NAME {                                                                                    \
    using Register = REGISTER;                                                                     \
    static constexpr int registers = R;                                                            \
    static __device__ void run(REGISTER (&d)[R], const uint32_t (&a)[4], uint64_t b, int adds) {   \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " P                                           \
                   ", 0;\nwgmma.mma_async.sync.aligned." OPCODE " {" NAMES_##R "}, {" A "}, " B    \
                                                                               ", p" TAIL ";\n}\n" \
                   : VALUES_##R(CONSTRAINT, d, 0)                                                  \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds));               \
    }                                                                                              \
  };

namespace wgmma {

FORM(f16_n8, 4, float, "+f", "m64n8k16.f32.f16.f16", "%4", "%5", "%6", ", 1, 1, 0, 0")
FORM(f16_n24, 12, float, "+f", "m64n24k16.f32.f16.f16", "%12", "%13", "%14", ", 1, 1, 0, 0")
FORM(f16_n64, 32, float, "+f", "m64n64k16.f32.f16.f16", "%32", "%33", "%34", ", 1, 1, 0, 0")
FORM(f16_n256, 128, float, "+f", "m64n256k16.f32.f16.f16", "%128", "%129", "%130", ", 1, 1, 0, 0")
FORM(bf16_n16, 8, float, "+f", "m64n16k16.f32.bf16.bf16", "%8", "%9", "%10", ", 1, 1, 0, 0")
FORM(bf16_n128, 64, float, "+f", "m64n128k16.f32.bf16.bf16", "%64", "%65", "%66", ", 1, 1, 0, 0")
FORM(f16_sum_n16, 4, uint32_t, "+r", "m64n16k16.f16.f16.f16", "%4", "%5", "%6", ", 1, 1, 0, 0")
FORM(f16_sum_n128, 32, uint32_t, "+r", "m64n128k16.f16.f16.f16", "%32", "%33", "%34",
     ", 1, 1, 0, 0")
FORM(f16_minus_a, 4, float, "+f", "m64n8k16.f32.f16.f16", "%4", "%5", "%6", ", -1, 1, 0, 0")
FORM(f16_minus_both, 4, float, "+f", "m64n8k16.f32.f16.f16", "%4", "%5", "%6", ", -1, -1, 0, 0")
FORM(f16_turned_a, 32, float, "+f", "m64n64k16.f32.f16.f16", "%32", "%33", "%34", ", 1, 1, 1, 0")
FORM(f16_turned_b, 32, float, "+f", "m64n64k16.f32.f16.f16", "%32", "%33", "%34", ", 1, 1, 0, 1")
FORM(bf16_turned_both, 32, float, "+f", "m64n64k16.f32.bf16.bf16", "%32", "%33", "%34",
     ", 1, 1, 1, 1")
FORM(tf32_n8, 4, float, "+f", "m64n8k8.f32.tf32.tf32", "%4", "%5", "%6", ", 1, 1")
FORM(tf32_n64, 32, float, "+f", "m64n64k8.f32.tf32.tf32", "%32", "%33", "%34", ", 1, 1")
FORM(e4m3_e4m3_n24, 12, float, "+f", "m64n24k32.f32.e4m3.e4m3", "%12", "%13", "%14", ", 1, 1")
FORM(e4m3_e5m2_n24, 12, float, "+f", "m64n24k32.f32.e4m3.e5m2", "%12", "%13", "%14", ", 1, 1")
FORM(e5m2_e4m3_n24, 12, float, "+f", "m64n24k32.f32.e5m2.e4m3", "%12", "%13", "%14", ", 1, 1")
FORM(e5m2_e5m2_n24, 12, float, "+f", "m64n24k32.f32.e5m2.e5m2", "%12", "%13", "%14", ", 1, 1")
FORM(e4m3_sum_n16, 4, uint32_t, "+r", "m64n16k32.f16.e4m3.e4m3", "%4", "%5", "%6", ", 1, 1")
FORM(s8_s8_n24, 12, uint32_t, "+r", "m64n24k32.s32.s8.s8", "%12", "%13", "%14", "")
FORM(s8_u8_n24, 12, uint32_t, "+r", "m64n24k32.s32.s8.u8", "%12", "%13", "%14", "")
FORM(u8_s8_n24, 12, uint32_t, "+r", "m64n24k32.s32.u8.s8", "%12", "%13", "%14", "")
FORM(u8_u8_n24, 12, uint32_t, "+r", "m64n24k32.s32.u8.u8", "%12", "%13", "%14", "")
FORM_A(f16_registers, 12, float, "+f", "m64n24k16.f32.f16.f16", "%12, %13, %14, %15", "%16", "%17",
       ", 1, 1, 0")
FORM_A(bf16_registers_turned, 32, float, "+f", "m64n64k16.f32.bf16.bf16", "%32, %33, %34, %35",
       "%36", "%37", ", 1, 1, 1")
FORM_A(tf32_registers, 12, float, "+f", "m64n24k8.f32.tf32.tf32", "%12, %13, %14, %15", "%16",
       "%17", ", 1, 1")
FORM_A(e4m3_registers, 12, float, "+f", "m64n24k32.f32.e4m3.e5m2", "%12, %13, %14, %15", "%16",
       "%17", ", 1, 1")
FORM_A(s8_registers, 12, uint32_t, "+r", "m64n24k32.s32.s8.u8", "%12, %13, %14, %15", "%16", "%17",
       "")

}  // namespace wgmma

#undef FORM
#undef FORM_A
