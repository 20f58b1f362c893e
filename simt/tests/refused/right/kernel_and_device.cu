// One calls the other.
__device__ void work(int* out) {
  *out = 1;
}
__global__ void k(int* out) {
  work(out);
}
