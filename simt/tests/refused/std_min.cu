// std::min is a constexpr function.
#include <algorithm>
__global__ void k(int* data) {
  // error: constexpr host function 'std::min' is called from kernel 'k'
  data[0] = std::min(data[0], data[1]);
}
