// A kernel throws.
__global__ void k(int* out) {
  if (out == nullptr) throw 1;  // error: device code has no exceptions
  *out = 1;
}
