// In the part that the device compiles.
__device__ int helper(int x) {
  return x;
}
__host__ __device__ int f(int x) {
#ifdef __CUDA_ARCH__
  return helper(x);
#else
  return x;
#endif
}
