// An array of a length that is not constant.
__global__ void k(int n, float* out) {
  float values[n];  // error: array 'values' has the length 'n'
  values[0] = 1;
  *out = values[0];
}
