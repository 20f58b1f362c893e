// With the option.
// options: --expt-relaxed-constexpr
#include <algorithm>
#include <limits>
constexpr int tile(int n) {
  return n * 32;
}
__device__ constexpr int half(int n) {
  return n / 2;
}
__global__ void k(int* out) {
  __shared__ int s[tile(1)];
  s[0] = std::max(tile(*out), std::numeric_limits<int>::max()) + half(3);
  *out = s[0];
}
int main() {
  return half(4);
}
