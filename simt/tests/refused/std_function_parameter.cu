// std::function as a kernel's parameter.
#include <functional>
__global__ void k(int* data, std::function<int(int)> f) {
  *data = f(1);  // error: a function of std::function is called from kernel 'k'
}
