// A __device__ variable in a function.
__global__ void k(int* out) {
  __device__ int counter = 0;  // error: __device__ variable 'counter' is declared in kernel 'k'
  *out = counter;
}
