// A kernel calls a function of the host.
int square(int x) {
  return x * x;
}
__global__ void k(int* out) {
  // error: host function 'square' is called from kernel 'k'
  out[threadIdx.x] = square(out[threadIdx.x]);
}
