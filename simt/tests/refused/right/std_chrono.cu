// The device's clock in a kernel, std's in main.
#include <chrono>
__global__ void k(long long* ticks) {
  *ticks = clock64();
}
int main() {
  const auto start = std::chrono::steady_clock::now();
  k<<<1, 1>>>(nullptr);
  return std::chrono::steady_clock::now() > start;
}
