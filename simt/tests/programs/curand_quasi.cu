// cuRAND's host generators of quasirandom numbers. All but the last two lines were compared with NVIDIA's libcurand
// 10.3.10, whose generators of curandCreateGeneratorHost run on the host.
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <vector>

using Long = unsigned long long;

Long hash(Long sum, Long value) {
  return (sum ^ value) * 1099511628211ull;
}
template <class T>
Long hash_of(const std::vector<T>& values) {
  Long sum = 14695981039346656037ull;
  for (const T v : values) sum = hash(sum, Long(v));
  return sum;
}

curandGenerator_t make(curandRngType_t type, unsigned dimensions) {
  curandGenerator_t g;
  if (curandCreateGeneratorHost(&g, type) != CURAND_STATUS_SUCCESS) return nullptr;
  curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  return g;
}

template <class T>
void numbers(const char* name, curandGenerator_t g,
             curandStatus_t (*draw)(curandGenerator_t, T*, size_t)) {
  std::vector<T> out(12), many(2048 * 100);
  draw(g, out.data(), 6);
  draw(g, out.data() + 6, 6);  // goes on in every dimension
  printf("%s:", name);
  for (const T v : out) printf(" %llx", Long(v));
  curandSetGeneratorOffset(g, 1000003);
  draw(g, out.data(), 3);
  printf(" at 1000003: %llx %llx %llx", Long(out[0]), Long(out[1]), Long(out[2]));
  curandSetGeneratorOffset(g, 0);
  curandSetQuasiRandomGeneratorDimensions(g, 2048);
  draw(g, many.data(), many.size());
  printf(" all: %llx\n", hash_of(many));
}

void distributions(const char* name, curandRngType_t type) {
  curandGenerator_t g = make(type, 3);
  curandSetGeneratorOffset(g, 5);
  std::vector<float> f(9);
  std::vector<double> d(9);
  std::vector<unsigned> p(9);
  curandGenerateUniform(g, f.data(), 9);
  printf("%s uniform:", name);
  for (const float v : f) printf(" %.9g", v);
  curandGenerateUniformDouble(g, d.data(), 9);
  printf("\n double:");
  for (const double v : d) printf(" %.17g", v);
  curandGenerateNormal(g, f.data(), 9, 1.0f, 2.0f);  // an odd number of them
  printf("\n normal:");
  for (const float v : f) printf(" %.4f", v);
  curandGenerateNormalDouble(g, d.data(), 9, 1.0, 2.0);
  printf("\n normal double:");
  for (const double v : d) printf(" %.9f", v);
  curandGenerateLogNormal(g, f.data(), 9, 0.5f, 0.25f);
  printf("\n log:");
  for (const float v : f) printf(" %.4f", v);
  curandGenerateLogNormalDouble(g, d.data(), 9, 0.5, 0.25);
  printf(" %.9f %.9f", d[0], d[8]);
  if (type == CURAND_RNG_QUASI_SOBOL64) {
    curandGeneratePoisson(g, p.data(), 9, 5.0);
    printf("\n poisson:");
    for (const unsigned v : p) printf(" %u", v);
  }
  printf("\n");
  curandDestroyGenerator(g);
}

void refusals() {
  unsigned u[6];
  Long l[6];
  float f[6];
  for (int type = CURAND_RNG_QUASI_SOBOL32; type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64; ++type) {
    curandGenerator_t g = make(curandRngType_t(type), 3);
    printf("%d: dimensions %d %d %d seed %d order %d %d", type,
           curandSetQuasiRandomGeneratorDimensions(g, 0),
           curandSetQuasiRandomGeneratorDimensions(g, 20001),
           curandSetQuasiRandomGeneratorDimensions(g, 3), curandSetPseudoRandomGeneratorSeed(g, 1),
           curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT),
           curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_BEST));
    printf(" ints %d longs %d, four of three %d, none %d\n", curandGenerate(g, u, 6),
           curandGenerateLongLong(g, l, 6), curandGenerateUniform(g, f, 4),
           curandGenerateUniform(g, f, 0));
    curandDestroyGenerator(g);
  }
  curandGenerator_t g;
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW);
  printf("pseudo: dimensions %d longs %d order %d\n", curandSetQuasiRandomGeneratorDimensions(g, 3),
         curandGenerateLongLong(g, l, 6),
         curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT));
  curandDestroyGenerator(g);
  printf("none: %d\n", curandGenerateLongLong(nullptr, l, 6));
}

void tables() {
  curandDirectionVectors32_t* narrow;
  curandDirectionVectors64_t* wide;
  printf("tables %d %d wrong %d\n",
         curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
         curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
         curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
  Long sum = 1, wide_sum = 1;
  for (int d = 0; d < 2048; ++d) {
    for (int k = 0; k < 32; ++k) sum = hash(sum, narrow[d][k]);
    for (int k = 0; k < 64; ++k) wide_sum = hash(wide_sum, wide[d][k]);
  }
  printf("vectors %llx %llx\n", sum, wide_sum);
}

// Of every 256 numbers of a dimension one lies in each 256th of the range, however it was scrambled; and the
// dimensions are not those of the plain sequence.
template <class Vectors, class Word>
bool is_scrambled_sobol(curandRngType_t type, curandRngType_t plain_type, Vectors* vectors,
                        const Word* constants,
                        curandStatus_t (*draw)(curandGenerator_t, Word*, size_t)) {
  constexpr int n = 1024, dimensions = 100;
  std::vector<Word> out(n * dimensions), plain(n * dimensions);
  curandGenerator_t g = make(type, dimensions), h = make(plain_type, dimensions);
  draw(g, out.data(), out.size());
  draw(h, plain.data(), plain.size());
  bool good = true;
  for (int d = 0; d < dimensions; ++d) {
    const Word* x = &out[d * n];
    for (int first = 0; first < n; first += 256) {
      std::vector<int> seen(256);
      for (int i = 0; i < 256; ++i) ++seen[x[first + i] >> (sizeof(Word) * 8 - 8)];
      for (const int s : seen) good = good && s == 1;
    }
    good = good && x[0] == constants[d] && x[1] == (constants[d] ^ vectors[d][0]);
    good = good && hash_of(std::vector<Word>(x, x + n)) !=
                       hash_of(std::vector<Word>(&plain[d * n], &plain[d * n] + n));
  }
  curandDestroyGenerator(g);
  curandDestroyGenerator(h);
  return good;
}

void scrambled() {
  curandDirectionVectors32_t* narrow;
  curandDirectionVectors64_t* wide;
  unsigned* constants;
  Long* wide_constants;
  curandGetDirectionVectors32(&narrow, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&wide, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
  curandGetScrambleConstants32(&constants);
  curandGetScrambleConstants64(&wide_constants);
  printf("scrambled: %d %d\n",
         is_scrambled_sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL32, narrow,
                            constants, curandGenerate),
         is_scrambled_sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, CURAND_RNG_QUASI_SOBOL64, wide,
                            wide_constants, curandGenerateLongLong));
}

int main() {
  numbers<unsigned>("sobol32", make(CURAND_RNG_QUASI_SOBOL32, 3), curandGenerate);
  numbers<Long>("sobol64", make(CURAND_RNG_QUASI_SOBOL64, 3), curandGenerateLongLong);
  distributions("sobol32", CURAND_RNG_QUASI_SOBOL32);
  distributions("sobol64", CURAND_RNG_QUASI_SOBOL64);
  refusals();
  tables();
  scrambled();
  // On the device, and more dimensions than there are here.
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_QUASI_DEFAULT);
  float* x;
  cudaMallocManaged(&x, 8 * sizeof(float));
  printf("default: %d", curandGenerateUniform(g, x, 8));
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf(" %g", x[i]);
  printf("\nfar: %d\n", curandSetQuasiRandomGeneratorDimensions(g, 20000));
}
