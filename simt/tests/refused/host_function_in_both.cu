// A function for both sides calls one of the host: nvcc warns.
int helper(int x) {
  return x;
}
__host__ __device__ int f(int x) {
  // warning: host function 'helper' is called from __host__ __device__ function 'f'
  return helper(x);
}
