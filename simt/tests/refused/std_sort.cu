// An algorithm of std in a kernel.
#include <algorithm>
__global__ void k(int* data) {
  std::sort(data, data + 32);  // error: host function 'std::sort' is called from kernel 'k'
}
