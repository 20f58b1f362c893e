// The distributions of cuRAND that all its generators of numbers have.
#pragma once
#include <curand_kernel.h>

#include "facts.h"

// Prints the start of a line; what is left of the state is the caller's.
template <class State>
__device__ void tell_distributions(State& state, unsigned thread) {
  curand_init(1234, thread, 0, &state);
  // One draw a statement: C++ leaves the order of arguments open.
  const float u0 = curand_uniform(&state), u1 = curand_uniform(&state);
  const double d = curand_uniform_double(&state);
  const float n0 = curand_normal(&state), n1 = curand_normal(&state);
  const double m0 = curand_normal_double(&state), m1 = curand_normal_double(&state);
  const float l = curand_log_normal(&state, 0.5f, 0.25f);
  const unsigned p = curand_poisson(&state, 3.5);
  printf("thread %u uniform %.9g %.9g double %.17g normal %.4f %.4f normal double %.8f %.8f",
         thread, u0, u1, d, n0, n1, m0, m1);
  printf(" log %.3f poisson %u", l, p);
}
