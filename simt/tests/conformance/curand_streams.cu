// cuRAND's device generators. Of the normal numbers fewer digits are compared, because a GPU takes
// approximate sine and cosine.
#include "curand_distributions.h"

template <class State>
__global__ void streams(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, unsigned* out) {
  State state;
  curand_init(seed, subsequence, offset, &state);
  for (int i = 0; i < 8; ++i) out[i] = curand(&state);
}

template <class State>
void show(const char* name, unsigned long long seed, unsigned long long subsequence,
          unsigned long long offset) {
  unsigned* out;
  cudaMallocManaged(&out, 8 * sizeof(unsigned));
  streams<State><<<1, 1>>>(seed, subsequence, offset, out);
  cudaDeviceSynchronize();
  printf("%s %llu %llu %llu:", name, seed, subsequence, offset);
  for (int i = 0; i < 8; ++i) printf(" %u", out[i]);
  printf("\n");
  cudaFree(out);
}

template <class State>
__global__ void distributions(Name name, unsigned thread) {
  State state;
  printf("%s ", name.text);
  tell_distributions(state, thread);
  printf(" %u", curand_poisson(&state, 5000.0));
  skipahead(1000003ull, &state);
  skipahead_sequence(3ull, &state);
  printf(" after a jump %u\n", curand(&state));
}

__global__ void fours() {
  curandStatePhilox4_32_10_t state;
  curand_init(42, 7, 3, &state);
  const uint4 i = curand4(&state);
  const float4 u = curand_uniform4(&state);
  const float4 n = curand_normal4(&state);
  const double2 d = curand_uniform2_double(&state);
  printf("%u %u %u %u, %.9g %.9g %.9g %.9g, %.4f %.4f %.4f %.4f, %.17g %.17g\n", i.x, i.y, i.z, i.w,
         u.x, u.y, u.z, u.w, n.x, n.y, n.z, n.w, d.x, d.y);
}

int main() {
  for (unsigned long long subsequence : {0ull, 1ull, 5ull, 123456789012345ull}) {
    for (unsigned long long offset : {0ull, 1ull, 77ull, 1ull << 40}) {
      show<curandState>("xorwow", 1234, subsequence, offset);
      show<curandStatePhilox4_32_10_t>("philox", 1234, subsequence, offset);
    }
  }
  show<curandState>("xorwow", 0, 0, 0);
  show<curandState>("xorwow", ~0ull, ~0ull, ~0ull);
  show<curandStatePhilox4_32_10_t>("philox", ~0ull, ~0ull, ~0ull);
  for (unsigned thread : {0u, 1u}) distributions<curandState><<<1, 1>>>(Name{"xorwow"}, thread);
  for (unsigned thread : {0u, 1u})
    distributions<curandStatePhilox4_32_10_t><<<1, 1>>>(Name{"philox"}, thread);
  fours<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
