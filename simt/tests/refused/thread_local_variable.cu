// thread_local in a kernel.
__global__ void k(int* out) {
  thread_local int n = 1;  // error: thread_local is not for device code
  *out = n;
}
