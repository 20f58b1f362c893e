// A constant whose value is computed when the program starts.
int read_size() {
  return 4;
}
const int size = read_size();
__global__ void k(int* out) {
  *out = size;  // error: host variable 'size' is used in kernel 'k'
}
