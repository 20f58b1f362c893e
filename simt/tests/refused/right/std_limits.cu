// Its constants are no functions, and a name at file scope can hold a value.
#include <cfloat>
#include <limits>
constexpr float largest = std::numeric_limits<float>::max();
__global__ void k(float* data) {
  data[0] = largest + FLT_MAX + std::numeric_limits<float>::digits;
}
