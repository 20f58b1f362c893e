// With the option; its body is device code.
// options: --extended-lambda
__device__ int d(int x) {
  return x;
}
template <class F>
__global__ void k(F f) {
  f(1);
}
int main() {
  int n = 2;
  auto on_device = [=] __device__(int x) { return d(x) + n + __popc(x); };
  auto on_both = [] __host__ __device__(int x) { return x; };
  k<<<1, 1>>>(on_device);
  k<<<1, 1>>>(on_both);
  return on_both(1);
}
