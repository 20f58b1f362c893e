// A device variable is initialised by a call.
int read_size() {
  return 4;
}
// error: device variable 'size' is initialised by a function call
__device__ int size = read_size();
__global__ void k(int* out) {
  *out = size;
}
