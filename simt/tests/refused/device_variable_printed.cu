// main prints a device variable: nvcc warns.
#include <cstdio>
__device__ int counter;
int main() {
  printf("%d\n", counter);  // warning: device variable 'counter' is read in host function 'main'
}
