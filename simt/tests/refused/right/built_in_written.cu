// A copy of the index is changed.
__global__ void k(int* data) {
  uint3 at = threadIdx;
  if (at.x > 16) at.x -= 16;
  if (threadIdx.x == 0 || blockIdx.x <= 3) data[at.x] = threadIdx.x - blockDim.x;
}
struct Index {
  int threadIdx;
  __device__ void set(int x) { this->threadIdx = x; }
};
