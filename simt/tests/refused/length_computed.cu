// The length of an array is computed from a parameter.
__global__ void k(float* data, int radius) {
  float window[2 * radius + 1];  // error: array 'window' has the length 'radius'
  window[0] = data[0];
  data[1] = window[0];
}
