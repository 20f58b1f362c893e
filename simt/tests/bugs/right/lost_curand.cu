// The same with a length that the generator takes, a plan that was made, and a look at one that may fail.
#include <cufft.h>
#include <curand.h>

#include <cstdio>

int main() {
  const int n = 16;
  float* x;
  cudaMalloc(&x, (n + 2) * sizeof(float));
  cudaMemset(x, 0, (n + 2) * sizeof(float));
  curandGenerator_t generator = nullptr;
  if (curandSetPseudoRandomGeneratorSeed(generator, 1) != CURAND_STATUS_SUCCESS) std::puts("later");
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateNormal(generator, x, n, 0.0f, 1.0f);
  cufftHandle plan = 0;
  cufftPlan1d(&plan, n, CUFFT_R2C, 1);
  cufftExecR2C(plan, x, (cufftComplex*)x);
  float first = 0;
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cufftDestroy(plan);
  curandDestroyGenerator(generator);
  cudaFree(x);
}
