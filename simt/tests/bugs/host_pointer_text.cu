// A string literal goes to the kernel as it is.
__global__ void count(const char* text, int length, char wanted, int* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length && text[i] == wanted) atomicAdd(found, 1);
}

int main() {
  int* found;
  cudaMalloc(&found, sizeof(int));
  cudaMemset(found, 0, sizeof(int));
  count<<<1, 32>>>("the quick brown fox jumps", 25, 'o', found);
  cudaDeviceSynchronize();
  cudaFree(found);
}
