// A thread wants to be another one.
__global__ void k(int* data) {
  if (threadIdx.x > 16) threadIdx.x -= 16;  // error: 'threadIdx' is written in kernel 'k'
  data[threadIdx.x] = 1;
}
