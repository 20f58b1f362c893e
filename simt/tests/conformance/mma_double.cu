// mma.sync of doubles in its four shapes: which element is whose, and the bits of sums that do not come out even, in every
// rounding mode. A line is a checksum of all results and two of them.
#include "facts.h"

#define PRODUCT(NAME, M, K, ROUNDING, LISTS, ...)                                                 \
  struct NAME {                                                                                   \
    static constexpr int m = M, k = K, a = M * K / 32, b = K / 4, d = M / 4;                      \
    static __device__ void run(double* s, const double* x, const double* y) {                     \
      asm volatile("mma.sync.aligned.m" #M "n8k" #K ".row.col" ROUNDING ".f64.f64.f64.f64 " LISTS \
                   ";"                                                                            \
                   : __VA_ARGS__);                                                                \
    }                                                                                             \
  };
#define TWO "+d"(s[0]), "+d"(s[1])
#define FOUR "+d"(s[0]), "+d"(s[1]), "+d"(s[2]), "+d"(s[3])
#define SMALL(NAME, ROUNDING) \
  PRODUCT(NAME, 8, 4, ROUNDING, "{%0, %1}, {%2}, {%3}, {%0, %1}", TWO : "d"(x[0]), "d"(y[0]))
SMALL(m8k4, "")
SMALL(m8k4_rn, ".rn")
SMALL(m8k4_rz, ".rz")
SMALL(m8k4_rm, ".rm")
SMALL(m8k4_rp, ".rp")
PRODUCT(m16k4, 16, 4, "", "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3}", FOUR
        : "d"(x[0]), "d"(x[1]), "d"(y[0]))
PRODUCT(m16k8, 16, 8, "", "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}", FOUR
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]))
PRODUCT(m16k16, 16, 16, "",
        "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "
        "{%0, %1, %2, %3}",
        FOUR
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]),
          "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]))

template <class Form>
__global__ void multiply(const double* a, const double* b, double* d) {
  const int lane = threadIdx.x;
  Form::run(d + lane * Form::d, a + lane * Form::a, b + lane * Form::b);
}

// The same numbers everywhere.
struct Random {
  unsigned long long state;
  unsigned long long next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 11;  // 53 bits
  }
  // mode 0: small whole numbers; 1: all bits of the fraction; 2: exponents far apart; 3: some infinite, NaN, subnormal
  double number(int mode) {
    if (mode == 0) return static_cast<double>(next() % 19) - 9;
    if (mode == 3 && next() % 8 == 0) {
      const unsigned long long special[] = {0x7ff0000000000000, 0xfff0000000000000,
                                            0x7ff8000000000000, 0x000fffffffffffff,
                                            0x8000000000000001, 0x7fefffffffffffff};
      return of_bits(special[next() % 6]);
    }
    const unsigned long long exponent = mode == 1 ? 1022 + next() % 3 : 1000 + next() % 48;
    return of_bits((next() & 1) << 63 | exponent << 52 | (next() & 0xfffffffffffff));
  }
  static double of_bits(unsigned long long bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
};

double* memory;

template <class Form>
void tell(const char* name) {
  double *a = memory, *b = memory + 256, *d = memory + 512;
  for (int seed = 0; seed < 12; ++seed) {
    Random r{seed * 7919ull + 5};
    const int mode = seed % 4;
    for (int i = 0; i < 32 * Form::a; ++i) a[i] = r.number(mode);
    for (int i = 0; i < 32 * Form::b; ++i) b[i] = r.number(mode);
    for (int i = 0; i < 32 * Form::d; ++i) d[i] = r.number(mode);
    multiply<Form><<<1, 32>>>(a, b, d);
    if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
    unsigned long long sum = 14695981039346656037ull;
    for (int i = 0; i < 32 * Form::d; ++i) sum = (sum ^ plain_bits(d[i])) * 1099511628211ull;
    printf("%s %d: %016llx %016llx %016llx\n", name, seed, sum, plain_bits(d[0]),
           plain_bits(d[31 * Form::d + 1]));
  }
}

// One sum whose value tells in which order its terms were added: the first of a row and a column, all in lane 0 to 3.
template <class Form>
void order(const char* name) {
  double *a = memory, *b = memory + 256, *d = memory + 512;
  for (int big = 0; big < Form::k; ++big) {
    for (int i = 0; i < 32 * Form::a; ++i) a[i] = 1;
    for (int i = 0; i < 32 * Form::d; ++i) d[i] = 0x1p-54;
    // Row k of b: lane k % 4 of each group, register k / 4.
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < Form::b; ++i)
        b[lane * Form::b + i] = i * 4 + lane % 4 == big ? 1.0 : 0x1p-54;
    multiply<Form><<<1, 32>>>(a, b, d);
    if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
    printf("%s, one at %d: %016llx\n", name, big, plain_bits(d[0]));
  }
}

int main() {
  cudaMallocManaged(&memory, 1024 * sizeof(double));
  tell<m8k4>("m8n8k4");
  tell<m8k4_rn>("m8n8k4 rn");
  tell<m8k4_rz>("m8n8k4 rz");
  tell<m8k4_rm>("m8n8k4 rm");
  tell<m8k4_rp>("m8n8k4 rp");
  tell<m16k4>("m16n8k4");
  tell<m16k8>("m16n8k8");
  tell<m16k16>("m16n8k16");
  order<m8k4>("m8n8k4");
  order<m16k4>("m16n8k4");
  order<m16k8>("m16n8k8");
  order<m16k16>("m16n8k16");
  return finished();
}
