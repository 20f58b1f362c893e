// std::vector in a kernel.
#include <vector>
__global__ void k(int* out) {
  std::vector<int> v(3);  // error: std::vector is used in kernel 'k'
  *out = v[0];
}
