// A kernel writes a __constant__ variable.
__constant__ float scale;
__global__ void k() {
  scale = 2;  // error: constant variable 'scale' is written in kernel 'k'
}
