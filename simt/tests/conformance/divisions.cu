// Integer divisions that C++ leaves undefined.
#include <climits>

#include "facts.h"

__device__ int numbers[] = {7, -7, 0, INT_MIN, INT_MAX};
__device__ long long wide_numbers[] = {7, -7, 0, LLONG_MIN, LLONG_MAX};
__device__ int zero, minus_one;  // set by the host, so that no compiler knows them

__global__ void divide(int count) {
  for (int i = 0; i < count; ++i) {
    const int n = numbers[i];
    const unsigned u = static_cast<unsigned>(n);
    const long long w = wide_numbers[i];
    const unsigned long long v = static_cast<unsigned long long>(w);
    printf("n: %d\n", n);
    INT(n / zero);
    INT(n % zero);
    INT(n / minus_one);
    INT(n % minus_one);
    UINT(u / static_cast<unsigned>(zero));
    UINT(u % static_cast<unsigned>(zero));
    LONG(w / zero);
    LONG(w % zero);
    LONG(w / minus_one);
    LONG(w % minus_one);
    ULONG(v / static_cast<unsigned long long>(zero));
    ULONG(v % static_cast<unsigned long long>(zero));
  }
}

int main() {
  const int divisors[] = {0, -1};
  cudaMemcpyToSymbol(zero, &divisors[0], sizeof(int));
  cudaMemcpyToSymbol(minus_one, &divisors[1], sizeof(int));
  divide<<<1, 1>>>(5);
  return finished();
}
