// warpSize is no constant to nvcc.
__global__ void k(int* data) {
  __shared__ int sums[warpSize];  // error: array 'sums' has the length 'warpSize'
  sums[threadIdx.x] = data[threadIdx.x];
}
