// std::numeric_limits has constexpr functions.
#include <limits>
__global__ void k(float* data) {
  // error: std::numeric_limits::max is a constexpr host function
  data[0] = std::numeric_limits<float>::max();
}
