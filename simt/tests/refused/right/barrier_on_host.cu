// cudaDeviceSynchronize is the host's.
__global__ void k() {
  __syncthreads();
}
int main() {
  k<<<1, 1>>>();
  cudaDeviceSynchronize();
}
