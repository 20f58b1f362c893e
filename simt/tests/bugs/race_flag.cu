// Block 0 raises a flag without a fence, so block 1 may see the flag before the data.
__global__ void hand_over(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *data;
  }
}

int main() {
  int* all;
  cudaMalloc(&all, 3 * sizeof(int));
  cudaMemset(all, 0, 3 * sizeof(int));
  hand_over<<<2, 1>>>(all, all + 1, all + 2);
  cudaDeviceSynchronize();
  cudaFree(all);
}
