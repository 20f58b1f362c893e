// mma.sync: the bits that come out, for each form 20 random cases, a quarter of them with any bits. Then ldmatrix
// and stmatrix in all their forms.
#include <cstdlib>

#include "facts.h"
#include "wgmma_cases.h"

#define AS4 "{%0, %1, %2, %3}"
#define AS2 "{%0, %1}"
// D and C of four floats or words, A of four registers (or two), B of two (or one).
#define FORM(NAME, OPCODE, REGISTER, C)                                                 \
  struct NAME {                                                                         \
    using Register = REGISTER;                                                          \
    static constexpr int a = 4, b = 2, d = 4;                                           \
    static __device__ void run(REGISTER* s, const uint32_t* x, const uint32_t* y) {     \
      asm volatile("mma.sync.aligned." OPCODE                                           \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                   : "+" C(s[0]), "+" C(s[1]), "+" C(s[2]), "+" C(s[3])                 \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])); \
    }                                                                                   \
  };
#define SHORT_FORM(NAME, OPCODE, REGISTER, C)                                       \
  struct NAME {                                                                     \
    using Register = REGISTER;                                                      \
    static constexpr int a = 2, b = 1, d = 4;                                       \
    static __device__ void run(REGISTER* s, const uint32_t* x, const uint32_t* y) { \
      asm volatile("mma.sync.aligned." OPCODE                                       \
                   " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"           \
                   : "+" C(s[0]), "+" C(s[1]), "+" C(s[2]), "+" C(s[3])             \
                   : "r"(x[0]), "r"(x[1]), "r"(y[0]));                              \
    }                                                                               \
  };
FORM(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
FORM(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
FORM(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
FORM(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32", int, "r")
FORM(u8_s8_k32, "m16n8k32.row.col.s32.u8.s8.s32", int, "r")
SHORT_FORM(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", float, "f")
SHORT_FORM(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", float, "f")
SHORT_FORM(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", float, "f")
SHORT_FORM(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32", int, "r")
struct f16_sum_k16 {
  using Register = uint32_t;
  static constexpr int a = 4, b = 2, d = 2;
  static __device__ void run(uint32_t* s, const uint32_t* x, const uint32_t* y) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(s[0]), "+r"(s[1])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  }
};

template <class Form>
__global__ void multiply(const uint32_t* a, const uint32_t* b, typename Form::Register* d) {
  Form::run(d + threadIdx.x * Form::d, a + threadIdx.x * Form::a, b + threadIdx.x * Form::b);
}

uint32_t packed(cases::Random& r, cases::Kind kind, int mode) {
  const int bytes = cases::formats[kind].bytes;
  uint32_t word = 0;
  for (int i = 0; i < 4 / bytes; ++i) word |= cases::random_bits(r, kind, mode) << 8 * bytes * i;
  return word;
}

uint32_t* memory;

template <class Form>
void tell(const char* name, cases::Kind a, cases::Kind b) {
  const bool whole = a >= cases::s8, half_sum = Form::d == 2;
  uint32_t *x = memory, *y = memory + 128, *d = memory + 256;
  for (int seed = 0; seed < 20; ++seed) {
    cases::Random r{seed * 7919u + 5u};
    const int mode = seed % 4;
    for (int i = 0; i < 32 * Form::a; ++i) x[i] = packed(r, a, mode);
    for (int i = 0; i < 32 * Form::b; ++i) y[i] = packed(r, b, mode);
    for (int i = 0; i < 32 * Form::d; ++i) {
      d[i] = whole      ? static_cast<uint32_t>(r.between(-1000, 1000))
             : half_sum ? packed(r, cases::f16, mode)
             : mode == 3
                 ? r.next() << 7 ^ r.next()
                 : (r.next() & 0x807fffffu) | static_cast<uint32_t>(r.between(120, 131)) << 23;
    }
    multiply<Form><<<1, 32>>>(x, y, reinterpret_cast<typename Form::Register*>(d));
    if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
    unsigned long long sum = 14695981039346656037ull;
    for (int i = 0; i < 32 * Form::d; ++i) {
      uint32_t word = d[i];
      if (!whole && !half_sum && (word & 0x7fffffffu) > 0x7f800000u) word = 0x7fffffffu;
      for (int at = 0; half_sum && at < 32; at += 16) {
        if ((word >> at & 0x7fffu) > 0x7c00u) word |= 0x7fffu << at, word &= ~(0x8000u << at);
      }
      d[i] = word;
      sum = (sum ^ word) * 1099511628211ull;
    }
    printf("%s %d: %016llx %08x %08x\n", name, seed, sum, d[0], d[31 * Form::d + 1]);
  }
}

#define LOAD(N, TRANS, LIST, ...)                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x" #N TRANS ".shared.b16 " LIST ", [%" #N "];" \
               : __VA_ARGS__                                                              \
               : "r"(at)                                                                  \
               : "memory")
#define STORE(N, TRANS, LIST, ...)                                                              \
  asm volatile("stmatrix.sync.aligned.m8n8.x" #N TRANS ".shared.b16 [%0], " LIST ";" ::"r"(at), \
               __VA_ARGS__                                                                      \
               : "memory")

// Matrices of numbers 0, 1, 2, ...: what each lane gets, and what it leaves behind.
__global__ void move(uint32_t* out) {
  __shared__ alignas(16) unsigned short tile[256];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x * 8));
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = static_cast<unsigned short>(i);
  __syncwarp();
  uint32_t r[4] = {};
  int place = 0;
  const auto keep = [&] {
    for (int i = 0; i < 4; ++i) out[(place * 4 + i) * 32 + threadIdx.x] = r[i];
    ++place;
  };
  LOAD(1, "", "{%0}", "=r"(r[0]));
  keep();
  LOAD(2, "", "{%0, %1}", "=r"(r[0]), "=r"(r[1]));
  keep();
  LOAD(4, "", "{%0, %1, %2, %3}", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]));
  keep();
  LOAD(1, ".trans", "{%0}", "=r"(r[0]));
  keep();
  LOAD(2, ".trans", "{%0, %1}", "=r"(r[0]), "=r"(r[1]));
  keep();
  LOAD(4, ".trans", "{%0, %1, %2, %3}", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]));
  keep();
  const auto back = [&] {
    __syncwarp();
    for (int i = 0; i < 4; ++i) {
      r[i] = tile[(i * 32 + threadIdx.x) * 2] |
             static_cast<uint32_t>(tile[(i * 32 + threadIdx.x) * 2 + 1]) << 16;
    }
    __syncwarp();
    keep();
    for (int i = 0; i < 4; ++i) r[i] = threadIdx.x * 4 + i + 1000 * place;
    __syncwarp();
  };
  for (int i = 0; i < 4; ++i) r[i] = threadIdx.x * 4 + i;
  __syncwarp();
  STORE(4, "", "{%1, %2, %3, %4}", "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
  back();
  STORE(2, "", "{%1, %2}", "r"(r[0]), "r"(r[1]));
  back();
  STORE(1, "", "{%1}", "r"(r[0]));
  back();
  STORE(4, ".trans", "{%1, %2, %3, %4}", "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
  back();
  STORE(2, ".trans", "{%1, %2}", "r"(r[0]), "r"(r[1]));
  back();
  STORE(1, ".trans", "{%1}", "r"(r[0]));
  back();
}

// Lane 0 and those from 16 on have left: what shuffles from them bring.
__global__ void gone(uint32_t* out) {
  if (threadIdx.x == 0 || threadIdx.x >= 16) return;
  const unsigned mask = 0x0000fffeu, mine = threadIdx.x + 100;
  out[threadIdx.x] = __shfl_sync(mask, mine, (threadIdx.x + 1) % 16);
  out[32 + threadIdx.x] = __shfl_up_sync(mask, mine, 3);
  out[64 + threadIdx.x] = __shfl_xor_sync(mask, mine, 2);
}

int main() {
  setenv("SIMT_TENSOR_CORES", "exact", 1);
  cudaMallocManaged(&memory, 16384);
  using namespace cases;
  tell<f16_k16>("f16_k16", f16, f16);
  tell<f16_k8>("f16_k8", f16, f16);
  tell<f16_sum_k16>("f16_sum_k16", f16, f16);
  tell<bf16_k16>("bf16_k16", bf16, bf16);
  tell<bf16_k8>("bf16_k8", bf16, bf16);
  tell<tf32_k8>("tf32_k8", tf32, tf32);
  tell<tf32_k4>("tf32_k4", tf32, tf32);
  tell<s8_k32>("s8_k32", s8, s8);
  tell<s8_k16>("s8_k16", s8, s8);
  tell<u8_s8_k32>("u8_s8_k32", u8, s8);
  memset(memory, 0, 16384);
  move<<<1, 32>>>(memory);
  cudaDeviceSynchronize();
  for (int line = 0; line < 48; ++line) {
    printf("matrix %d register %d:", line / 4, line % 4);
    for (int lane = 0; lane < 32; ++lane) printf(" %x", memory[line * 32 + lane]);
    printf("\n");
  }
  memset(memory, 0, 16384);
  gone<<<1, 32>>>(memory);
  cudaDeviceSynchronize();
  for (int line = 0; line < 3; ++line) {
    printf("shuffle %d:", line);
    // Where the source has left the value is not defined: those lanes are not told.
    for (int lane = 1; lane < 16; ++lane) {
      const int from = line == 0   ? (lane + 1) % 16
                       : line == 1 ? (lane < 3 ? lane : lane - 3)
                                   : lane ^ 2;
      if (from != 0) printf(" %u", memory[line * 32 + lane]);
    }
    printf("\n");
  }
  return finished();
}
