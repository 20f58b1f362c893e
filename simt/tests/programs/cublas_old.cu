// cuBLAS without handles.
#include <cublas.h>

#include <cstdio>

int main() {
  const int n = 3;
  float a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, x[] = {1, -2, 3}, c[9];
  float *da, *dc, *dx, *dy;
  printf("%d\n", cublasInit());
  cublasAlloc(9, sizeof(float), (void**)&da);
  cublasAlloc(9, sizeof(float), (void**)&dc);
  cublasAlloc(n, sizeof(float), (void**)&dx);
  cublasAlloc(n, sizeof(float), (void**)&dy);
  cublasSetMatrix(n, n, sizeof(float), a, n, da, n);
  cublasSetVector(n, sizeof(float), x, 1, dx, 1);
  printf("%g %g %g %d\n", cublasSdot(n, dx, 1, dx, 1), cublasSasum(n, dx, 1), cublasSnrm2(n, dx, 1),
         cublasIsamax(n, dx, 1));
  cublasSgemm('n', 't', n, n, n, 1.0f, da, n, da, n, 0.0f, dc, n);
  cublasGetMatrix(n, n, sizeof(float), dc, n, c, n);
  for (const float value : c) printf("%g ", value);
  cublasSgemv('T', n, n, 2.0f, da, n, dx, 1, 0.0f, dy, 1);
  cublasSaxpy(n, 10.0f, dx, 1, dy, 1);
  cublasGetVector(n, sizeof(float), dy, 1, x, 1);
  printf("\n%g %g %g\n", x[0], x[1], x[2]);
  printf("%d", cublasGetError());
  cublasSgemm('n', 'n', -1, n, n, 1.0f, da, n, da, n, 0.0f, dc, n);
  const int first = cublasGetError();
  printf(" %d %d\n", first, cublasGetError());
  for (float* each : {da, dc, dx, dy}) cublasFree(each);
  printf("%d\n", cublasShutdown());
}
