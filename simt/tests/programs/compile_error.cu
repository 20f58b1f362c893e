// A compile error is told at the line and column of the user's file.
#include <cstdio>

__global__ void k(int* out) {
  __shared__ int s[4];
  k2(out, s);
}
int main() {
  // clang-format off
  k<<<1,
      2>>>(3.5);
  // clang-format on
}
