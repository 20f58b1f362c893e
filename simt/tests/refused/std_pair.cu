// std::pair has constexpr functions.
#include <utility>
__global__ void k(int* data) {
  std::pair<int, int> p(1, 2);  // error: std::pair is used in kernel 'k'
  data[0] = p.first;
}
