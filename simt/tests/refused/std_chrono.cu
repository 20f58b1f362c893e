// A clock of std in a kernel.
#include <chrono>
__global__ void k(long long* ticks) {
  // error: host function 'now' of std::chrono is called from kernel 'k'
  *ticks = std::chrono::steady_clock::now().time_since_epoch().count();
}
