// rand is the host's.
#include <cstdlib>
__global__ void k(int* out) {
  *out = rand();  // error: host function 'rand' is called from kernel 'k'
}
