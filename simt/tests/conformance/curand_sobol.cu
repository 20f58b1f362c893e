// cuRAND's Sobol sequences on the device, of 32 and 64 bits, plain and scrambled, from direction vectors that are made
// here: bits and uniform numbers exactly, of the normal ones fewer digits, because a GPU's inverse functions are
// approximate.
#include <curand_kernel.h>

#include "facts.h"

// The first numbers of a dimension, and its polynomial without the first and the last coefficient. (S. Joe and
// F. Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008.)
struct Dimension {
  int degree;
  unsigned polynomial, first[5];
};
__device__ const Dimension dimensions[] = {
    {0, 0, {}},        {1, 0, {1}},          {2, 1, {1, 3}},        {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}};

template <class Word>
__device__ void make_vectors(const Dimension& d, Word* v) {
  constexpr int bits = sizeof(Word) * 8;
  for (int k = 0; k < bits; ++k) {
    if (d.degree == 0 || k < d.degree) {
      v[k] = Word(d.degree == 0 ? 1 : d.first[k]) << (bits - 1 - k);
      continue;
    }
    v[k] = v[k - d.degree] ^ v[k - d.degree] >> d.degree;
    for (int j = 1; j < d.degree; ++j) {
      if ((d.polynomial >> (d.degree - 1 - j) & 1) != 0) v[k] ^= v[k - j];
    }
  }
}

__device__ void init(curandStateSobol32_t* s, unsigned* v, unsigned, unsigned offset) {
  curand_init(v, offset, s);
}
__device__ void init(curandStateScrambledSobol32_t* s, unsigned* v, unsigned c, unsigned offset) {
  curand_init(v, c, offset, s);
}
using Long = unsigned long long;
__device__ void init(curandStateSobol64_t* s, Long* v, Long, Long offset) {
  curand_init(v, offset, s);
}
__device__ void init(curandStateScrambledSobol64_t* s, Long* v, Long c, Long offset) {
  curand_init(v, c, offset, s);
}

template <class State, class Word>
__global__ void sequence(Name name, int dimension, Word scramble, Word offset) {
  Word v[sizeof(Word) * 8];
  make_vectors(dimensions[dimension], v);
  State state;
  init(&state, v, scramble, offset);
  printf("%s %d at %llx:", name.text, dimension, Long(offset));
  for (int i = 0; i < 6; ++i) printf(" %llx", Long(curand(&state)));
  skipahead(Word(1000003), &state);
  printf(" jump %llx\n", Long(curand(&state)));
}

template <class State, class Word>
__global__ void distributions(Name name, int dimension, Word scramble) {
  Word v[sizeof(Word) * 8];
  make_vectors(dimensions[dimension], v);
  State state;
  init(&state, v, scramble, Word(5));
  // One draw a statement: C++ leaves the order of arguments open.
  const float u0 = curand_uniform(&state), u1 = curand_uniform(&state);
  const double d0 = curand_uniform_double(&state), d1 = curand_uniform_double(&state);
  const float n0 = curand_normal(&state), n1 = curand_normal(&state);
  const double m0 = curand_normal_double(&state), m1 = curand_normal_double(&state);
  const float l = curand_log_normal(&state, 0.5f, 0.25f);
  const double k = curand_log_normal_double(&state, 0.5, 0.25);
  printf("%s %d uniform %.9g %.9g double %.17g %.17g normal %.4f %.4f normal double %.8f %.8f",
         name.text, dimension, u0, u1, d0, d1, n0, n1, m0, m1);
  printf(" log %.3f %.8f next %llx\n", l, k, Long(curand(&state)));
}

template <class State, class Word>
void tell(const char* name, Word scramble) {
  Name copy = {};
  strncpy(copy.text, name, sizeof copy.text - 1);
  const Word offsets[] = {0, 1, 77, Word(5) + (Word(1) << (sizeof(Word) * 8 - 1))};
  for (int dimension = 0; dimension < 8; ++dimension) {
    for (Word offset : offsets) sequence<State, Word><<<1, 1>>>(copy, dimension, scramble, offset);
    distributions<State, Word><<<1, 1>>>(copy, dimension, scramble);
  }
}

int main() {
  tell<curandStateSobol32_t, unsigned>("sobol32", 0);
  tell<curandStateScrambledSobol32_t, unsigned>("scrambled 32", 0x9e3779b9u);
  tell<curandStateSobol64_t, Long>("sobol64", 0);
  tell<curandStateScrambledSobol64_t, Long>("scrambled 64", 0x9e3779b97f4a7c15ull);
  return finished();
}
