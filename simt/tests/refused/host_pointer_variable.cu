// A pointer that the host keeps.
float* buffer;
__global__ void k() {
  buffer[threadIdx.x] = 1;  // error: host variable 'buffer' is used in kernel 'k'
}
int main() {
  cudaMalloc(&buffer, 128);
  k<<<1, 32>>>();
}
