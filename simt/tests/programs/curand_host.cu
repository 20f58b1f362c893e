// cuRAND's host functions: XORWOW against the documented order of the device functions' numbers
// (not confirmed on a GPU), MRG32k3a against its published first number and its own steps, Philox against its
// sequence, moments of the normal numbers.
#include <curand_kernel.h>  // has the host functions too

#include <cmath>
#include <cstdio>
#include <vector>

// Jumps against steps, and the first number of the published generator, 0.127011122046577 (m1 + 1).
void combined() {
  curandStateMRG32k3a_t walked, jumped;
  curand_init(0, 0, 0, &walked);
  printf("mrg32k3a %.9f", curand_uniform_double(&walked));
  for (int i = 1; i < 1000; ++i) curand(&walked);
  curand_init(0, 0, 1000, &jumped);
  printf(" jump %s", curand(&walked) == curand(&jumped) ? "agrees" : "differs");
  // A subsequence is 2^76 steps: 2^13 times 2^63.
  curand_init(99, 1, 0, &walked);
  curand_init(99, 0, 0, &jumped);
  for (int i = 0; i < 8192; ++i) skipahead(1ull << 63, &jumped);
  printf(" subsequence %s", curand(&walked) == curand(&jumped) ? "agrees" : "differs");
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += curand_normal(&walked) + curand_normal_double(&walked);
  printf(" normal mean %s\n", std::fabs(sum / 20000) < 0.03 ? "0" : "off");
}

int main() {
  const size_t n = 10000;
  float *device, *first;
  unsigned* integers;
  cudaMalloc(&device, n * sizeof(float));
  cudaMallocManaged(&first, n * sizeof(float));
  cudaMallocManaged(&integers, n * sizeof(unsigned));

  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
  curandGenerate(generator, integers, n);
  bool same = true;
  for (size_t i = 0; i < n; i += 7) {
    curandState state;
    curand_init(1234, i % 4096, i / 4096, &state);
    same = same && curand(&state) == integers[i];
  }
  printf("xorwow %u %u %u: %s\n", integers[0], integers[1], integers[4096],
         same ? "in order" : "wrong");
  curandSetGeneratorOffset(generator, 5000);
  unsigned after[2];
  curandGenerate(generator, after, 2);
  printf("offset %s\n",
         after[0] == integers[5000] && after[1] == integers[5001] ? "agrees" : "differs");

  curandGenerateUniform(generator, device, n);
  cudaMemcpy(first, device, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  bool inside = true;
  for (size_t i = 0; i < n; ++i) {
    sum += first[i];
    inside = inside && first[i] > 0 && first[i] <= 1;
  }
  printf("uniform: %s, mean %s\n", inside ? "inside" : "outside",
         std::fabs(sum / n - 0.5) < 0.02 ? "0.5" : "off");
  curandGenerateNormal(generator, first, n, 3.0f, 2.0f);
  double mean = 0, square = 0;
  for (size_t i = 0; i < n; ++i) mean += first[i] / n;
  for (size_t i = 0; i < n; ++i) square += (first[i] - mean) * (first[i] - mean) / n;
  printf("normal: %s\n",
         std::fabs(mean - 3) < 0.1 && std::fabs(square - 4) < 0.3 ? "3 and 2" : "off");
  printf("odd count %d\n", curandGenerateNormal(generator, first, 3, 0, 1));
  curandDestroyGenerator(generator);

  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(generator, 42);
  curandGenerate(generator, integers, 4);
  printf("philox %u %u %u %u\n", integers[0], integers[1], integers[2], integers[3]);
  curandDestroyGenerator(generator);
  combined();
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MRG32K3A);
  curandSetPseudoRandomGeneratorSeed(generator, 7);
  curandGenerate(generator, integers, 5000);
  curandStateMRG32k3a_t state;
  curand_init(7, 4999 % 4096, 4999 / 4096, &state);
  printf("mrg32k3a on the host: %s\n", curand(&state) == integers[4999] ? "in order" : "wrong");
  curandDestroyGenerator(generator);
  printf("twister %d\n", curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937));
}
