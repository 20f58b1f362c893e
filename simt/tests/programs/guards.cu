// Helper headers ask by CUDA's own include guards which headers are in.
#include <cuda_fp16.h>

#include <cstdio>

int main() {
#if defined(__DRIVER_TYPES_H__) && defined(__CUDA_RUNTIME_H__) && defined(__VECTOR_TYPES_H__)
  printf("runtime\n");
#endif
#if defined(__CUDA_FP16_H__) && !defined(__CUDA_BF16_H__)
  printf("half only\n");
#endif
}
