// A kernel launches a kernel, without -rdc=true.
__global__ void child(int* out) {
  *out = 1;
}
__global__ void parent(int* out) {
  child<<<1, 1>>>(out);  // error: a launch from device code needs the option -rdc=true
}
