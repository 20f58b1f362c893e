// Passed as an argument.
float* buffer;
__global__ void k(float* buffer) {
  buffer[threadIdx.x] = 1;
}
int main() {
  cudaMalloc(&buffer, 128);
  k<<<1, 32>>>(buffer);
}
