// A counter of the device is counted up by an atomic.
__device__ int visits = 0;

__global__ void visit() {
  atomicAdd(&visits, 1);
}

int main() {
  visit<<<4, 32>>>();
  cudaDeviceSynchronize();
}
