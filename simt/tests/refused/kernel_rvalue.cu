// A kernel takes an rvalue reference.
// error: kernel 'k' has a parameter that is an rvalue reference
__global__ void k(int&& n, int* out) {
  *out = n;
}
