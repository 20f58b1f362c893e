// std::move and forward are there on both sides, and so are the functions of <cmath>.
#include <algorithm>
#include <cmath>
#include <utility>
__global__ void k(float* data) {
  float x = std::move(data[0]);
  data[1] =
      std::forward<float>(x) + std::sqrt(x) + std::abs(x) + std::fmax(x, 1.0f) + std::pow(x, 2.0f);
}
int main() {
  int data[2] = {2, 1};
  std::sort(data, data + 2);
}
