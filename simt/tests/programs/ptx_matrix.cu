// Tensor-core instructions and the idioms around them in inline PTX.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

__device__ inline void ldmatrix_x4(uint32_t (&r)[4], const void* row) {
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ inline void ldmatrix_x2_trans(uint32_t (&r)[2], const void* row) {
  uint32_t address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n"
      : "=r"(address)
      : "l"(row));
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(address));
}
__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, "
      "{%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 16x8 = 16x16 * 16x8, operands from shared memory.
__global__ void product(const half* a, const half* b, float* c) {
  __shared__ alignas(16) half sa[16][16];
  __shared__ alignas(16) half sb[16][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
  __syncwarp();
  uint32_t ra[4], rb[2];
  ldmatrix_x4(ra, &sa[lane % 16][lane / 16 * 8]);
  ldmatrix_x2_trans(rb, &sb[lane % 16][0]);
  float d[4] = {1, 1, 1, 1};
  mma(d, ra, rb);
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// The same sum in other formats: all elements one, so each result is K.
__global__ void formats(float* out) {
  const uint32_t half_ones = 0x3c003c00u, bf16_ones = 0x3f803f80u, tf32_one = 0x3f800000u;
  float d[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
      "{%4,%4}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(bf16_ones));
  out[threadIdx.x] = d[threadIdx.x % 4];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
      "{%4,%4}, {%5,%5,%5,%5};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(tf32_one), "f"(0.5f));
  out[32 + threadIdx.x] = d[threadIdx.x % 4];
  uint32_t h[2] = {0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%2,%2}, {%2,%2}, "
      "{%0,%1};"
      : "+r"(h[0]), "+r"(h[1])
      : "r"(half_ones));
  out[64 + threadIdx.x] = h[1] == 0x4c004c00u ? 16.0f : -1.0f;
}

// Two 8x8 matrices through registers: stored transposed they come back as columns.
__global__ void transpose(const half* in, half* out) {
  __shared__ half from[16][8], to[16][8];
  for (int i = threadIdx.x; i < 128; i += 32) from[i / 8][i % 8] = in[i];
  __syncwarp();
  uint32_t r[2];
  const auto row = [](const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); };
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row(from[threadIdx.x % 16])));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                   row(to[threadIdx.x % 16])),
               "r"(r[0]), "r"(r[1])
               : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 128; i += 32) out[i] = to[i / 8][i % 8];
}

__global__ void idioms(const float4* in, unsigned* out, float4* copy) {
  unsigned r = threadIdx.x, found, sum;
  asm("bfind.u32 %0, %1;" : "=r"(found) : "r"(r));
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      ".reg .b32 t;  // a temporary\n\t"
      "setp.ge.u32 p, %1, 4;\n\t"
      "@p add.u32 t, %1, 100;\n\t"
      "@!p mov.b32 t, 7;\n\t"
      "mad.lo.u32 %0, t, 2, 1;\n\t"
      "}\n"
      : "=r"(sum)
      : "r"(r));
  out[r * 2] = found;
  out[r * 2 + 1] = sum;
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4+16];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in));
  unsigned packed;
  asm("mov.b32 %0, {%1, %2};" : "=r"(packed) : "h"((short)1), "h"((short)2));
  v.w = packed == 0x20001u ? v.w : 0;
  asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(copy), "f"(v.x), "f"(v.y), "f"(v.z),
               "f"(v.w)
               : "memory");
}

int main() {
  half *a, *b;
  float* c;
  float4* vectors;
  unsigned* words;
  cudaMallocManaged(&a, 256 * sizeof(half));
  cudaMallocManaged(&b, 128 * sizeof(half));
  cudaMallocManaged(&c, 128 * sizeof(float));
  cudaMallocManaged(&vectors, 3 * sizeof(float4));
  cudaMallocManaged(&words, 16 * sizeof(unsigned));
  for (int i = 0; i < 256; ++i) a[i] = __float2half(static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < 128; ++i) b[i] = __float2half(static_cast<float>(i * 5 % 9 - 4) * 0.5f);
  product<<<1, 32>>>(a, b, c);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += __half2float(a[m * 16 + k]) * __half2float(b[k * 8 + n]);
      wrong += c[m * 8 + n] != sum;
    }
  }
  std::printf("product: %d wrong, %g\n", wrong, c[17]);
  transpose<<<1, 32>>>(b, a);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int i = 0; i < 128; ++i) {
    wrong += __half2float(a[i]) != __half2float(b[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]);
  }
  std::printf("transpose: %d wrong\n", wrong);
  formats<<<1, 32>>>(c);
  cudaDeviceSynchronize();
  std::printf("formats: %g %g %g\n", c[0], c[33], c[66]);
  for (int i = 0; i < 2; ++i) vectors[i] = make_float4(i, i + 0.5f, -i, 4 * i);
  idioms<<<1, 8>>>(vectors, words, vectors + 2);
  cudaDeviceSynchronize();
  std::printf("idioms: %d %u %u %u; %u %u; %g %g %g %g\n", static_cast<int>(words[0]), words[1],
              words[6], words[7], words[14], words[15], vectors[2].x, vectors[2].y, vectors[2].z,
              vectors[2].w);
  product<<<1, 20>>>(a, b, c);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
