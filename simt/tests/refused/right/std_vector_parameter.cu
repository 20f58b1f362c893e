// A pointer instead.
__global__ void k(const int* v, int* out) {
  *out = v[0];
}
