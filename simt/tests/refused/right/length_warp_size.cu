// A constant of the program's own.
constexpr int warp_size = 32;
__global__ void k(int* data) {
  __shared__ int sums[warp_size];
  sums[threadIdx.x % warpSize] = data[threadIdx.x];
}
