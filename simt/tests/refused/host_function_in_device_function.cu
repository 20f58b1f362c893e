// A device function calls a function of the host.
float helper(float x) {
  return x + 1;
}
__device__ float f(float x) {
  return helper(x);  // error: host function 'helper' is called from device function 'f'
}
