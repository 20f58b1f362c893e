// A shared variable with an initialiser.
__global__ void k(int* out) {
  __shared__ int total = 0;  // error: shared variable 'total' has an initialiser
  *out = total;
}
