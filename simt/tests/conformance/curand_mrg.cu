// cuRAND's device generator MRG32k3a. Of the normal numbers fewer digits are compared, because a GPU takes
// approximate sine and cosine.
#include "curand_distributions.h"

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
  tell_distributions(state, thread);
  printf(" next %u\n", curand(&state));
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
