// cuBLASXt: products of matrices in host memory, and what it answers to settings.
#include <cublasXt.h>

#include <cstdio>

int main() {
  cublasXtHandle_t handle;
  int device = 0, none = 1, size = 0, boards = 0;
  printf("create %d\n", cublasXtCreate(&handle));
  printf("select %d, a device that is not there %d\n", cublasXtDeviceSelect(handle, 1, &device),
         cublasXtDeviceSelect(handle, 1, &none));
  printf("block %d", cublasXtSetBlockDim(handle, 128));
  printf(" of 0 %d", cublasXtSetBlockDim(handle, 0));
  cublasXtGetBlockDim(handle, &size);
  cublasXtGetNumBoards(1, &device, &boards);
  printf(" is %d, boards %d\n", size, boards);

  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, two = 2;
  float c[] = {1, 1, 1, 1};
  cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, a, 2, b, 2, &two, c, 2);
  printf("float %g %g %g %g\n", c[0], c[1], c[2], c[3]);
  const cuDoubleComplex x = {0, 1}, y = {3, 4}, zero = {0, 0}, unit = {1, 0};
  cuDoubleComplex z;
  cublasXtZgemm(handle, CUBLAS_OP_N, CUBLAS_OP_C, 1, 1, 1, &unit, &x, 1, &y, 1, &zero, &z, 1);
  printf("complex %g %g\n", z.x, z.y);
  printf("too small %d",
         cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 1, b, 2, &two, c, 2));
  printf(", destroy %d\n", cublasXtDestroy(handle));
}
