// A function is a kernel and a device function.
__device__ __global__ void k(int* out) {  // error: kernel 'k' is __global__ and __device__
  *out = 1;
}
