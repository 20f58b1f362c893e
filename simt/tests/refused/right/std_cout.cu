// printf.
#include <cstdio>
#include <iostream>
__global__ void k() {
  printf("%d\n", threadIdx.x);
}
int main() {
  std::cout << 1 << std::endl;
}
