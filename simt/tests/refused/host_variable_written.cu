// A kernel writes a variable of the host.
int total;
__global__ void k(const int* in) {
  total = in[0];  // error: host variable 'total' is written in kernel 'k'
}
