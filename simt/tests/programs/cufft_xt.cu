// cuFFT's plans by data types: the same numbers as the plans by letters.
#include <cufftXt.h>

#include <cmath>
#include <cstdio>

int main() {
  const int n = 12;
  cufftReal* real;
  cufftComplex *spectrum, *other;
  cudaMallocManaged(&real, n * sizeof(cufftReal));
  cudaMallocManaged(&spectrum, n * sizeof(cufftComplex));
  cudaMallocManaged(&other, n * sizeof(cufftComplex));
  for (int i = 0; i < n; ++i) real[i] = float(i * i % 7);
  cufftHandle plan, plain, back, half;
  long long length = n;
  size_t work = 1;
  cufftCreate(&plan);
  printf("%d\n", cufftXtMakePlanMany(plan, 1, &length, nullptr, 1, 1, CUDA_R_32F, nullptr, 1, 1,
                                     CUDA_C_32F, 1, &work, CUDA_C_32F));
  printf("%d\n", cufftXtExec(plan, real, spectrum, CUFFT_FORWARD));
  cufftPlan1d(&plain, n, CUFFT_R2C, 1);
  cufftExecR2C(plain, real, other);
  int different = 0;
  for (int i = 0; i <= n / 2; ++i) {
    different += spectrum[i].x != other[i].x || spectrum[i].y != other[i].y;
  }
  printf("%d different, the first is %g\n", different, spectrum[0].x);
  cufftCreate(&back);
  printf("%d\n", cufftXtMakePlanMany(back, 1, &length, nullptr, 1, 1, CUDA_C_32F, nullptr, 1, 1,
                                     CUDA_R_32F, 1, &work, CUDA_C_32F));
  printf("%d\n", cufftXtExec(back, spectrum, real, CUFFT_INVERSE));
  for (int i = 0; i < n; ++i) printf("%g ", std::round(real[i] / n));
  printf("\n");
  cufftCreate(&half);
  printf("half: %d\n",
         cufftXtMakePlanMany(half, 1, &length, nullptr, 1, 1, CUDA_C_16F, nullptr, 1, 1, CUDA_C_16F,
                             1, &work, CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
  for (const cufftHandle each : {plan, plain, back, half}) cufftDestroy(each);
  cudaFree(real);
  cudaFree(spectrum);
  cudaFree(other);
}
