// std::min is a constexpr function.
#include <algorithm>
__global__ void k(int* data) {
  data[0] = std::min(data[0], data[1]);  // error: constexpr host function 'std::min' is called from kernel 'k'
}
