// A counter of the device is counted up without an atomic.
__device__ int visits = 0;

__global__ void visit() {
  ++visits;
}

int main() {
  visit<<<4, 32>>>();
  cudaDeviceSynchronize();
}
