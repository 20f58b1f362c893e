// Its own variable, and shared memory whose size the launch gives.
__device__ int counter;
__global__ void k() {
  extern __shared__ int buffer[];
  buffer[0] = 1;
  atomicAdd(&counter, buffer[0]);
}
