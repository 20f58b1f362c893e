#pragma once

// From cuRAND's integers to its distributions. nvcc joins a product and a sum by default, hence fma
// in the uniform numbers. Normal ones use accurate functions where a GPU takes __sincosf, so they
// agree within its error, not bit for bit. Compared with NVIDIA's headers built for the host, not
// on a GPU.

#include <simt/curand_mrg.h>
#include <simt/curand_state.h>

#include <cmath>

namespace simt::curand {

constexpr float scale = 2.3283064e-10f;  // 2^-32
constexpr float two_pi = 6.2831855f;
constexpr double fine = 0x1p-53;

// In (0, 1]: never zero, so that it has a logarithm.
inline float uniform(unsigned x) {
  return std::fma(static_cast<float>(x), scale, scale / 2);
}
inline double uniform_double(unsigned x) {
  return x * 0x1p-32 + 0x1p-32;
}
inline unsigned long long join(unsigned low, unsigned high) {
  return low ^ static_cast<unsigned long long>(high) << 21;
}
inline double uniform_fine(unsigned low, unsigned high) {
  return std::fma(static_cast<double>(join(low, high)), fine, fine / 2);
}

inline float2 box_muller(unsigned x, unsigned y) {
  const float size = std::sqrt(-2.0f * std::log(uniform(x)));
  const float angle = std::fma(static_cast<float>(y), scale * two_pi, scale * two_pi / 2);
  return {std::sin(angle) * size, std::cos(angle) * size};
}
inline double2 box_muller(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const double size = std::sqrt(-2.0 * std::log(uniform_fine(x0, x1)));
  const double angle = uniform_fine(y0, y1) * 2 * M_PI;
  return {std::sin(angle) * size, std::cos(angle) * size};
}

// The next pair of normal numbers. The calls that return one keep the second in the state, marked
// with who left it there, for a normal and a log-normal call do not share it.
template <class State>
inline float2 normal_pair(State* state) {
  const unsigned x = ::curand(state), y = ::curand(state);
  return box_muller(x, y);
}
template <class State>
inline double2 normal_pair_double(State* state) {
  const unsigned x0 = ::curand(state), x1 = ::curand(state);
  const unsigned y0 = ::curand(state), y1 = ::curand(state);
  return box_muller(x0, x1, y0, y1);
}
inline double2 normal_pair_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return box_muller(x.x, x.y, x.z, x.w);
}
// MRG32k3a's numbers are made into fractions without integers between.
inline float uniform_of(curandStateMRG32k3a_t* state) {
  return static_cast<float>(mrg_next(*state) * mrg_to_unit);
}
inline double uniform_double_of(curandStateMRG32k3a_t* state) {
  return mrg_next(*state) * mrg_to_unit;
}
inline float2 normal_pair(curandStateMRG32k3a_t* state) {
  const float size = std::sqrt(-2.0f * std::log(uniform_of(state)));
  const float angle = uniform_of(state) * two_pi;
  return {std::sin(angle) * size, std::cos(angle) * size};
}
inline double2 normal_pair_double(curandStateMRG32k3a_t* state) {
  const double size = std::sqrt(-2.0 * std::log(uniform_double_of(state)));
  const double angle = uniform_double_of(state) * 2 * M_PI;
  return {std::sin(angle) * size, std::cos(angle) * size};
}
template <class State>
inline float uniform_of(State* state) {
  return uniform(::curand(state));
}
constexpr int left_normal = 1, left_log_normal = 2;
template <class Value, class Make>
inline Value one_of_two(int& flag, Value& extra, int who, Make make) {
  if (flag == who) {
    flag = 0;
    return extra;
  }
  const auto pair = make();
  extra = pair.y;
  flag = who;
  return pair.x;
}

template <class State>
inline unsigned poisson(State* state, double lambda);

}  // namespace simt::curand

#define SIMT_CURAND_DISTRIBUTIONS(STATE)                                                           \
  inline float curand_uniform(STATE* s) {                                                          \
    return simt::curand::uniform_of(s);                                                            \
  }                                                                                                \
  inline float2 curand_normal2(STATE* s) {                                                         \
    return simt::curand::normal_pair(s);                                                           \
  }                                                                                                \
  inline double2 curand_normal2_double(STATE* s) {                                                 \
    return simt::curand::normal_pair_double(s);                                                    \
  }                                                                                                \
  inline float curand_normal(STATE* s) {                                                           \
    return simt::curand::one_of_two(s->boxmuller_flag, s->boxmuller_extra,                         \
                                    simt::curand::left_normal, [s] { return curand_normal2(s); }); \
  }                                                                                                \
  inline double curand_normal_double(STATE* s) {                                                   \
    return simt::curand::one_of_two(s->boxmuller_flag_double, s->boxmuller_extra_double,           \
                                    simt::curand::left_normal,                                     \
                                    [s] { return curand_normal2_double(s); });                     \
  }                                                                                                \
  inline float2 curand_log_normal2(STATE* s, float mean, float deviation) {                        \
    const float2 n = curand_normal2(s);                                                            \
    return {std::exp(mean + deviation * n.x), std::exp(mean + deviation * n.y)};                   \
  }                                                                                                \
  inline double2 curand_log_normal2_double(STATE* s, double mean, double deviation) {              \
    const double2 n = curand_normal2_double(s);                                                    \
    return {std::exp(mean + deviation * n.x), std::exp(mean + deviation * n.y)};                   \
  }                                                                                                \
  inline float curand_log_normal(STATE* s, float mean, float deviation) {                          \
    return simt::curand::one_of_two(s->boxmuller_flag, s->boxmuller_extra,                         \
                                    simt::curand::left_log_normal,                                 \
                                    [=] { return curand_log_normal2(s, mean, deviation); });       \
  }                                                                                                \
  inline double curand_log_normal_double(STATE* s, double mean, double deviation) {                \
    return simt::curand::one_of_two(                                                               \
        s->boxmuller_flag_double, s->boxmuller_extra_double, simt::curand::left_log_normal,        \
        [=] { return curand_log_normal2_double(s, mean, deviation); });                            \
  }                                                                                                \
  inline unsigned int curand_poisson(STATE* s, double lambda) {                                    \
    return simt::curand::poisson(s, lambda);                                                       \
  }

inline double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned low = curand(state), high = curand(state);
  return simt::curand::uniform_fine(low, high);
}
inline double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return simt::curand::uniform_double(curand(state));
}
inline double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return simt::curand::uniform_double_of(state);
}
SIMT_CURAND_DISTRIBUTIONS(curandStateXORWOW_t)
SIMT_CURAND_DISTRIBUTIONS(curandStateMRG32k3a_t)
SIMT_CURAND_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
#undef SIMT_CURAND_DISTRIBUTIONS

inline float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  using simt::curand::uniform;
  const uint4 x = curand4(state);
  return {uniform(x.x), uniform(x.y), uniform(x.z), uniform(x.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return {simt::curand::uniform_fine(x.x, x.y), simt::curand::uniform_fine(x.z, x.w)};
}
inline float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = simt::curand::box_muller(x.x, x.y), b = simt::curand::box_muller(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
  const float4 n = curand_normal4(state);
  return {std::exp(mean + deviation * n.x), std::exp(mean + deviation * n.y),
          std::exp(mean + deviation * n.z), std::exp(mean + deviation * n.w)};
}

// Knuth's product below 64 and the normal approximation above 4000 are cuRAND's. Between them it
// inverts an incomplete gamma function; here a sum of smaller draws gives other numbers of the same
// distribution.
template <class State>
inline unsigned simt::curand::poisson(State* state, double lambda) {
  if (lambda > 4000) {
    return static_cast<unsigned>(std::sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
  }
  if (lambda >= 64) return poisson(state, lambda / 2) + poisson(state, lambda / 2);
  unsigned count = 0;
  for (float p = std::exp(static_cast<float>(lambda)); (p *= curand_uniform(state)) > 1.0f;)
    ++count;
  return count;
}
