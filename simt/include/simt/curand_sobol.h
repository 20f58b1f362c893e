#pragma once

// cuRAND's quasirandom generators: Sobol sequences of 32 and 64 bits in the order of Gray code, and
// the same with a word that is added bit by bit (scrambled). The direction vectors are the
// program's own: cuRAND's tables are not here. (I. Antonov and V. Saleev, "An economic method of
// computing LP-tau sequences", 1979.) Normal numbers come from the inverse of the distribution, one
// from each.

#include <simt/curand_distribution.h>
#include <simt/math_special.h>

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace simt::curand {

template <class Word>
struct Sobol {
  Word i, x, c;  // how many numbers were drawn, the next one, what is added to each
  Word direction_vectors[sizeof(Word) * 8];
};

template <class State, class Word>
inline void sobol_jump(State* state, Word n) {
  state->i += n;
  state->x = state->c;
  const Word gray = state->i ^ state->i >> 1;
  for (unsigned bit = 0; bit < sizeof(Word) * 8; ++bit) {
    if ((gray >> bit & 1) != 0) state->x ^= state->direction_vectors[bit];
  }
}
template <class State, class Word>
inline void sobol_init(State* state, const Word* vectors, Word scramble, Word offset) {
  for (unsigned bit = 0; bit < sizeof(Word) * 8; ++bit)
    state->direction_vectors[bit] = vectors[bit];
  state->i = 0;
  state->c = scramble;
  sobol_jump(state, offset);
}
// The step from one number to the next changes one bit of the Gray code: that of the lowest zero.
template <class State>
inline auto sobol_next(State* state) {
  const auto result = state->x;
  unsigned bit = 0;
  while ((state->i >> bit & 1) != 0 && bit + 1 < sizeof(state->i) * 8) ++bit;
  state->x ^= state->direction_vectors[bit];
  ++state->i;
  return result;
}

// The upper bits of 64 are as good as 32.
inline unsigned upper_word(unsigned x) {
  return x;
}
inline unsigned upper_word(unsigned long long x) {
  return static_cast<unsigned>(x >> 32);
}
inline double quasi_double(unsigned x) {
  return uniform_double(x);
}
inline double quasi_double(unsigned long long x) {
  return std::fma(static_cast<double>(x >> 11), fine, fine / 2);
}
// Both halves of the distribution by its lower one, whose small numbers keep their digits.
inline float quasi_normal(unsigned x) {
  const bool upper = x > 0x80000000u;
  const float p = uniform(upper ? ~x : x);
  const float size = 1.4142135f * ::erfcinvf(2.0f * p);
  return upper ? size : -size;
}
inline double quasi_normal_double(unsigned x) {
  const bool upper = x > 0x80000000u;
  const double p = std::fma(static_cast<double>(upper ? ~x : x), 0x1p-32, 0x1p-33);
  const double size = M_SQRT2 * ::erfcinv(2.0 * p);
  return upper ? size : -size;
}
inline double quasi_normal_double(unsigned long long x) {
  const unsigned long long all = (1ull << 53) - 1, fraction = x >> 11;
  const bool upper = fraction > 1ull << 52;
  const double p = std::fma(static_cast<double>(upper ? all - fraction : fraction), fine, fine / 2);
  const double size = M_SQRT2 * ::erfcinv(2.0 * p);
  return upper ? size : -size;
}

}  // namespace simt::curand

struct curandStateSobol32 : simt::curand::Sobol<unsigned int> {};
struct curandStateScrambledSobol32 : simt::curand::Sobol<unsigned int> {};
struct curandStateSobol64 : simt::curand::Sobol<unsigned long long> {};
struct curandStateScrambledSobol64 : simt::curand::Sobol<unsigned long long> {};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;

inline void curand_init(const unsigned int* vectors, unsigned int offset,
                        curandStateSobol32_t* state) {
  simt::curand::sobol_init(state, vectors, 0u, offset);
}
inline void curand_init(const unsigned int* vectors, unsigned int scramble, unsigned int offset,
                        curandStateScrambledSobol32_t* state) {
  simt::curand::sobol_init(state, vectors, scramble, offset);
}
inline void curand_init(const unsigned long long* vectors, unsigned long long offset,
                        curandStateSobol64_t* state) {
  simt::curand::sobol_init(state, vectors, 0ull, offset);
}
inline void curand_init(const unsigned long long* vectors, unsigned long long scramble,
                        unsigned long long offset, curandStateScrambledSobol64_t* state) {
  simt::curand::sobol_init(state, vectors, scramble, offset);
}

#define SIMT_CURAND_QUASI(STATE, WORD)                                              \
  inline void skipahead(WORD n, STATE* s) {                                         \
    simt::curand::sobol_jump(s, n);                                                 \
  }                                                                                 \
  inline WORD curand(STATE* s) {                                                    \
    return simt::curand::sobol_next(s);                                             \
  }                                                                                 \
  inline float curand_uniform(STATE* s) {                                           \
    return simt::curand::uniform(simt::curand::upper_word(curand(s)));              \
  }                                                                                 \
  inline double curand_uniform_double(STATE* s) {                                   \
    return simt::curand::quasi_double(curand(s));                                   \
  }                                                                                 \
  inline float curand_normal(STATE* s) {                                            \
    return simt::curand::quasi_normal(simt::curand::upper_word(curand(s)));         \
  }                                                                                 \
  inline double curand_normal_double(STATE* s) {                                    \
    return simt::curand::quasi_normal_double(curand(s));                            \
  }                                                                                 \
  inline float curand_log_normal(STATE* s, float mean, float deviation) {           \
    return std::exp(std::fma(deviation, curand_normal(s), mean));                   \
  }                                                                                 \
  inline double curand_log_normal_double(STATE* s, double mean, double deviation) { \
    return std::exp(std::fma(deviation, curand_normal_double(s), mean));            \
  }
SIMT_CURAND_QUASI(curandStateSobol32_t, unsigned int)
SIMT_CURAND_QUASI(curandStateScrambledSobol32_t, unsigned int)
SIMT_CURAND_QUASI(curandStateSobol64_t, unsigned long long)
SIMT_CURAND_QUASI(curandStateScrambledSobol64_t, unsigned long long)
#undef SIMT_CURAND_QUASI
