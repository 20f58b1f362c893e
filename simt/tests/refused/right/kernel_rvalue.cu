// By value.
__global__ void k(int n, int* out) {
  *out = n && *out;
}
