// Inline PTX of several instructions: registers, predicates, arithmetic, loads and stores.
#include <cstdint>
#include <cstdio>

__device__ unsigned to_shared(const void* p) {
  unsigned address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n"
      : "=r"(address)
      : "l"(p));
  return address;
}

__global__ void kernel(int* out, const float4* in, unsigned long long* wide) {
  __shared__ alignas(16) int s[64];
  const unsigned place = to_shared(s + 7);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(place), "r"(41));
  asm volatile("st.shared.v2.s32 [%0+4], {%1, %2};" ::"r"(place), "r"(-5), "r"(6) : "memory");
  int a, b, c;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a) : "r"(place));
  asm("{\n\t.reg .pred p, q;\n\t.reg .s32 t;\n\t"
      "add.s32 t, %1, %2;\n\tsetp.gt.s32 p, t, 30;\n\tsetp.eq.s32 q, %2, 0;\n\t"
      "@p mul.lo.s32 %0, t, 2;\n\t@!p mov.s32 %0, 0;\n\t@q mov.s32 %0, -1;\n}"
      : "=r"(b)
      : "r"(a), "r"(s[8]));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(c) : "r"(s[9]), "r"(7), "r"(-2));
  out[0] = a;
  out[1] = b;
  out[2] = c;

  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4+16];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in));
  out[3] = static_cast<int>(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
  float f;
  asm("{ .reg .f32 h; mul.f32 h, %1, 0f40000000; fma.rn.f32 %0, h, %1, %2; }"
      : "=f"(f)
      : "f"(3.0f), "f"(0.5f));
  unsigned bits, field, found, three, low, high;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(1.0f));
  asm("bfe.u32 %0, %1, 8, 12;" : "=r"(field) : "r"(0xabcdef12u));
  asm("bfind.u32 %0, %1;" : "=r"(found) : "r"(0x00010000u));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(three) : "r"(12u), "r"(10u), "r"(6u));
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
      : "=r"(low), "=r"(high)
      : "r"(0xffffffffu), "r"(2u), "r"(1u), "r"(1u));
  out[4] = static_cast<int>(f * 2);
  out[5] = static_cast<int>(bits);
  out[6] = static_cast<int>(field);
  out[7] = static_cast<int>(found);
  out[8] = static_cast<int>(three);
  out[9] = static_cast<int>(high * 10 + low);
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide[0]) : "r"(0x80000000u), "r"(6u));
  asm("mov.b64 %0, {%1, %2};" : "=l"(wide[1]) : "r"(7u), "r"(1u));
  double packed;
  asm("{ .reg .f64 d; .reg .u32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 d, {lo, hi}; add.f64 %0, d, "
      "%1; }"
      : "=d"(packed)
      : "d"(3.625));
  out[14] = static_cast<int>(packed * 8);
  asm("{ .reg .u32 lane; mov.u32 lane, %%laneid; shl.b32 %0, lane, 4; shr.s32 %1, %2, 40; }"
      : "=r"(out[10]), "=r"(out[11])
      : "r"(-8));
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out[12]) : "f"(-2.75f));
  asm("selp.s32 %0, 4, 5, %1;" : "=r"(out[13]) : "r"(0));
}

int main() {
  int* out;
  float4* in;
  unsigned long long* wide;
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&in, 2 * sizeof(float4));
  cudaMallocManaged(&wide, 2 * sizeof *wide);
  in[1] = make_float4(1, 2, 3, 4);
  kernel<<<1, 1>>>(out, in, wide);
  printf("%s:", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 15; ++i) printf(" %d", out[i]);
  printf("\n%llx %llx\n", wide[0], wide[1]);
}
