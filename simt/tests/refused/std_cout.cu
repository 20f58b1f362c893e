// std::cout in a kernel.
#include <iostream>
__global__ void k() {
  std::cout << threadIdx.x << std::endl;  // error: std::cout is used in kernel 'k'
}
