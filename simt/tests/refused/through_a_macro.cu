// What a macro writes is judged too.
#include <cstdlib>
#define RANDOM(n) (rand() % (n))
__global__ void k(int* out) {
  *out = RANDOM(6);  // error: host function 'rand' is called from kernel 'k'
}
