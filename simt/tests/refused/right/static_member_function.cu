// Marked; and the kernel's parameter has the name of a function.
struct Config {
  static __device__ int width() { return 32; }
};
int n() {
  return 1;
}
__global__ void k(int* out, int n) {
  *out = Config::width() + n;
}
