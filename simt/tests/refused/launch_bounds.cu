// __launch_bounds__ on a device function.
__device__ __launch_bounds__(128) void f(int* out) {  // error: __launch_bounds__ is for kernels
  *out = 1;
}
