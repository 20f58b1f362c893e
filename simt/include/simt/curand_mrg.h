#pragma once

// cuRAND's generator MRG32k3a: two recurrences of order three, modulo two primes below 2^32. (P.
// L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators", 1999.) Its subsequences begin 2^76 steps apart, its sequences 2^127. How a seed
// changes the start, and how an integer is made of a number below the first prime, is cuRAND's.

#include <simt/curand_state.h>

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace simt::curand {

constexpr unsigned long long mrg_m1 = 4294967087ull, mrg_m2 = 4294944443ull;
constexpr unsigned long long mrg_a12 = 1403580, mrg_a13 = 810728;  // s1: a12 x[-2] - a13 x[-3]
constexpr unsigned long long mrg_a21 = 527612, mrg_a23 = 1370589;  // s2: a21 y[-1] - a23 y[-3]
constexpr int mrg_subsequence_power = 76, mrg_sequence_power = 127;
constexpr double mrg_to_unit = 2.3283065498378288e-10;  // 1 / m1
constexpr double mrg_to_bits = 1.000000048662;          // (2^32 - 1) / m1

// count * 2^power steps at once (runtime/libraries/curand_jump.cpp).
void mrg_jump(unsigned* s1, unsigned* s2, unsigned long long count, int power);

// The next number, from 1 to m1.
inline unsigned mrg_next(curandStateMRG32k3a& s) {
  const unsigned long long x = (mrg_a12 * s.s1[1] + mrg_a13 * (mrg_m1 - s.s1[0])) % mrg_m1;
  const unsigned long long y = (mrg_a21 * s.s2[2] + mrg_a23 * (mrg_m2 - s.s2[0])) % mrg_m2;
  s.s1[0] = s.s1[1];
  s.s1[1] = s.s1[2];
  s.s1[2] = static_cast<unsigned>(x);
  s.s2[0] = s.s2[1];
  s.s2[1] = s.s2[2];
  s.s2[2] = static_cast<unsigned>(y);
  return static_cast<unsigned>(x > y ? x - y : x + mrg_m1 - y);
}

}  // namespace simt::curand

inline void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  simt::curand::mrg_jump(state->s1, state->s2, n, 0);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  // More would run into the next sequence: cuRAND takes 51 bits.
  simt::curand::mrg_jump(state->s1, state->s2, n & ((1ull << 51) - 1),
                         simt::curand::mrg_subsequence_power);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  simt::curand::mrg_jump(state->s1, state->s2, n, simt::curand::mrg_sequence_power);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a_t* state) {
  using namespace simt::curand;
  // The published start; a seed of zero keeps it.
  constexpr unsigned long long start = 12345;
  const unsigned long long a = seed == 0 ? 1 : static_cast<unsigned>(seed) ^ 0x55555555u;
  const unsigned long long b = seed == 0 ? 1 : static_cast<unsigned>(seed >> 32) ^ 0xAAAAAAAAu;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = static_cast<unsigned>((i == 1 ? b : a) * start % mrg_m1);
    state->s2[i] = static_cast<unsigned>((i == 1 ? a : b) * start % mrg_m2);
  }
  forget_extras(*state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned int curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned>(simt::curand::mrg_next(*state) * simt::curand::mrg_to_bits);
}
