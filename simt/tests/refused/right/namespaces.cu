// The nearest one is meant, or one that comes with an argument's type, or with a using.
namespace cpu {
int f(int x) {
  return x;
}
}  // namespace cpu
namespace geo {
struct P {
  int x;
};
__device__ int f(P p) {
  return p.x;
}
namespace inner {
__device__ int g(int x) {
  return x;
}
}  // namespace inner
}  // namespace geo
namespace gpu {
__device__ int f(int x) {
  return x;
}
using namespace geo::inner;
__global__ void k(int* out, geo::P p) {
  *out = f(1) + f(p) + g(2) + ::geo::inner::g(3);
}
}  // namespace gpu
int main() {
  return cpu::f(1);
}
