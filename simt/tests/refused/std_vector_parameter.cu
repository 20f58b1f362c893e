// std::vector as a kernel's parameter.
#include <vector>
__global__ void k(std::vector<int> v, int* out) {
  *out = v[0];  // error: a function of std::vector is called from kernel 'k'
}
