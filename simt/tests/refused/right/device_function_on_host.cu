// Its address may be taken and its type asked for; std has another function of a name of the user's.
#include <algorithm>
using namespace std;
__device__ int square(int x) {
  return x * x;
}
__device__ float max(float a, float b, float c) {
  return fmaxf(a, fmaxf(b, c));
}
int main() {
  decltype(square(1)) a = sizeof(square(2));
  int (*pointer)(int) = square;
  return max(a, 1) + (pointer != nullptr);
}
