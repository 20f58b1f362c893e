// CUDA has min and max of its own.
#include <algorithm>
__global__ void k(int* data) {
  data[0] = min(data[0], max(data[1], 3));
}
int main() {
  return std::min(1, 2);
}
