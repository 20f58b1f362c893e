// A kernel reads a variable of the host.
int scale = 3;
__global__ void k(int* out) {
  *out = scale;  // error: host variable 'scale' is used in kernel 'k'
}
