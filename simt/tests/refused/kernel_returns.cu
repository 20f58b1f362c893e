// A kernel returns a value.
__global__ int k(int* out) {  // error: kernel 'k' returns a value
  return out[0];
}
