// A device variable is initialised by a call.
int read_size() { return 4; }
__device__ int size = read_size();  // error: device variable 'size' is initialised by a function call
__global__ void k(int* out) { *out = size; }
