// std::numeric_limits has constexpr functions.
#include <limits>
__global__ void k(float* data) {
  data[0] = std::numeric_limits<float>::max();  // error: std::numeric_limits::max is a constexpr host function
}
