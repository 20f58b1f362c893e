// With the option they can be called.
// options: --expt-relaxed-constexpr
#include <array>
#include <utility>
__global__ void k(int* data) {
  std::pair<int, int> p(1, 2);
  std::array<int, 2> a = {1, 2};
  data[0] = p.first + a[1];
}
