#pragma once

// cuRAND's generators XORWOW and Philox4x32-10: states, steps and jumps. The constants and the
// order of the numbers are those of cuRAND, so a seed gives the same integers and uniform numbers
// as on a GPU. (G. Marsaglia, "Xorshift RNGs", 2003; J. Salmon and others, "Parallel random
// numbers: as easy as 1, 2, 3", 2011.)

#include <vector_functions.h>

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;  // which word of the output is next
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace simt::curand {

constexpr int subsequence_power = 67;  // XORWOW's subsequences begin 2^67 steps apart
constexpr unsigned weyl = 362437;

inline void xorwow_step(unsigned* v) {
  const unsigned t = v[0] ^ v[0] >> 2;
  const unsigned last = v[4] ^ v[4] << 4 ^ t ^ t << 1;
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = last;
}

// count * 2^power steps at once (runtime/libraries/curand_jump.cpp).
void xorwow_jump(unsigned* v, unsigned long long count, int power);

inline uint4 philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
    c = {static_cast<unsigned>(b >> 32) ^ c.y ^ key.x, static_cast<unsigned>(b),
         static_cast<unsigned>(a >> 32) ^ c.w ^ key.y, static_cast<unsigned>(a)};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

// The counter's lower or upper 64 bits go on by n. The lower half carries as cuRAND's does: when
// its upper word comes out less than what was added to it.
inline void advance_low(uint4& c, unsigned long long n) {
  unsigned high = static_cast<unsigned>(n >> 32);
  c.x += static_cast<unsigned>(n);
  if (c.x < static_cast<unsigned>(n)) ++high;
  c.y += high;
  if (c.y < high && ++c.z == 0) ++c.w;
}
inline void advance_high(uint4& c, unsigned long long n) {
  const unsigned long long high = (static_cast<unsigned long long>(c.w) << 32 | c.z) + n;
  c.z = static_cast<unsigned>(high);
  c.w = static_cast<unsigned>(high >> 32);
}
inline void next_counter(uint4& c) {
  if (++c.x == 0 && ++c.y == 0 && ++c.z == 0) ++c.w;
}

template <class State>
inline void forget_extras(State& state) {
  state.boxmuller_flag = state.boxmuller_flag_double = 0;
  state.boxmuller_extra = 0;
  state.boxmuller_extra_double = 0;
}

}  // namespace simt::curand

inline void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  simt::curand::xorwow_jump(state->v, n, 0);
  state->d += simt::curand::weyl * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  simt::curand::xorwow_jump(state->v, n, simt::curand::subsequence_power);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned low = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned high = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  *state = {
      6615241u + high + low,
      {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
      0,
      0,
      0,
      0};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned int curand(curandStateXORWOW_t* state) {
  simt::curand::xorwow_step(state->v);
  state->d += simt::curand::weyl;
  return state->v[4] + state->d;
}

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned word = state->STATE + static_cast<unsigned>(n & 3);
  state->STATE = word & 3;
  simt::curand::advance_low(state->ctr, n / 4 + word / 4);
  state->output = simt::curand::philox(state->ctr, state->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  simt::curand::advance_high(state->ctr, n);
  state->output = simt::curand::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  state->STATE = 0;
  simt::curand::forget_extras(*state);
  simt::curand::advance_high(state->ctr, subsequence);
  skipahead(offset, state);
}
inline uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 old = state->output;
  simt::curand::next_counter(state->ctr);
  const uint4 now = state->output = simt::curand::philox(state->ctr, state->key);
  switch (state->STATE) {
    case 1:
      return {old.y, old.z, old.w, now.x};
    case 2:
      return {old.z, old.w, now.x, now.y};
    case 3:
      return {old.w, now.x, now.y, now.z};
    default:
      return old;
  }
}
inline unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const uint4 o = state->output;
  const unsigned words[] = {o.x, o.y, o.z, o.w};
  const unsigned result = words[state->STATE & 3];
  if (++state->STATE == 4) {
    simt::curand::next_counter(state->ctr);
    state->output = simt::curand::philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
