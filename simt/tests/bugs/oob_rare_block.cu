// Only the last block has to look where the array ends, and it does not.
__global__ void mark(int* flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1) {
    if (i * 7 % 11 < 9) flags[i] = 2;
  } else {
    flags[i] = 1;
  }
}

int main() {
  const int n = 37 * 64 + 40;
  int* flags;
  cudaMalloc(&flags, n * sizeof(int));
  mark<<<38, 64>>>(flags, n);
  cudaDeviceSynchronize();
  cudaFree(flags);
}
