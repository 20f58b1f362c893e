// A fence on each side of the flag.
__global__ void hand_over(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
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
