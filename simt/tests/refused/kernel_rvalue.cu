// A kernel takes an rvalue reference.
__global__ void k(int&& n, int* out) {  // error: kernel 'k' has a parameter that is an rvalue reference
  *out = n;
}
