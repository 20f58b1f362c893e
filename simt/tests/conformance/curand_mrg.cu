// cuRAND's device generator MRG32k3a. Of the normal numbers fewer digits are compared, because a GPU takes
// approximate sine and cosine.
#include <curand_kernel.h>

#include "facts.h"

__global__ void streams(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset) {
  curandStateMRG32k3a_t state;
  curand_init(seed, subsequence, offset, &state);
  printf("%llu %llu %llu:", seed, subsequence, offset);
  for (int i = 0; i < 6; ++i) printf(" %u", curand(&state));
  skipahead(1000003ull, &state);
  printf(" jump %u", curand(&state));
  skipahead_subsequence(77ull, &state);
  printf(" subsequence %u", curand(&state));
  skipahead_sequence(3ull, &state);
  printf(" sequence %u\n", curand(&state));
}

__global__ void distributions(unsigned thread) {
  curandStateMRG32k3a_t state;
  curand_init(1234, thread, 0, &state);
  const float u0 = curand_uniform(&state), u1 = curand_uniform(&state);
  const double d = curand_uniform_double(&state);
  const float n0 = curand_normal(&state), n1 = curand_normal(&state);
  const double m0 = curand_normal_double(&state), m1 = curand_normal_double(&state);
  const float l = curand_log_normal(&state, 0.5f, 0.25f);
  const unsigned p = curand_poisson(&state, 3.5);
  printf("thread %u uniform %.9g %.9g double %.17g normal %.4f %.4f normal double %.8f %.8f",
         thread, u0, u1, d, n0, n1, m0, m1);
  printf(" log %.3f poisson %u next %u\n", l, p, curand(&state));
}

int main() {
  for (unsigned long long seed : {0ull, 1234ull, ~0ull}) {
    for (unsigned long long subsequence : {0ull, 1ull, 123456789012345ull, (1ull << 51) - 1}) {
      for (unsigned long long offset : {0ull, 77ull, 1ull << 40}) {
        streams<<<1, 1>>>(seed, subsequence, offset);
      }
    }
  }
  for (unsigned thread : {0u, 1u, 9u}) distributions<<<1, 1>>>(thread);
  return cudaDeviceSynchronize() != cudaSuccess;
}
