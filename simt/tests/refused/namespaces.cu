// The function of that name in another namespace.
namespace cpu {
int f(int x) {
  return x;
}
}  // namespace cpu
namespace gpu {
__device__ int f(int x) {
  return x;
}
__global__ void k(int* out) {
  *out = f(1) + cpu::f(1);  // error: host function 'f' is called from kernel 'k'
}
}  // namespace gpu
