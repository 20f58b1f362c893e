// A function for both sides calls one of the device.
__device__ int helper(int x) {
  return x;
}
__host__ __device__ int f(int x) {
  // error: device function 'helper' is called from __host__ __device__ function 'f'
  return helper(x);
}
