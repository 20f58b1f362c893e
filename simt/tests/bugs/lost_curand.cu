// cuRAND and cuFFT refuse, and the program does not look: the numbers are those of the memset.
#include <cufft.h>
#include <curand.h>

#include <cstdio>

int main() {
  const int n = 15;
  float* x;
  cudaMalloc(&x, (n + 1) * sizeof(float));
  cudaMemset(x, 0, (n + 1) * sizeof(float));
  curandGenerator_t generator = nullptr;
  curandSetPseudoRandomGeneratorSeed(generator, 1);
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateNormal(generator, x, n, 0.0f, 1.0f);
  cufftHandle plan = 0;
  if (n > 0) cufftExecR2C(plan, x, (cufftComplex*)x);
  float first = 0;
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  curandDestroyGenerator(generator);
  cudaFree(x);
}
