// std::array's operator is a constexpr function.
#include <array>
__global__ void k(int* data) {
  std::array<int, 3> a;
  a[0] = 1;  // error: a function of std::array is called from kernel 'k'
  data[0] = 1;
}
