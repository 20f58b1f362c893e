// A maximum of floats by a loop around atomicCAS, and a flag that many threads set to the same value.
__global__ void largest(int* best, int* found) {
  const int mine = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int old = *best, seen;
  do {
    seen = old;
    old = atomicCAS(best, seen, seen > mine ? seen : mine);
  } while (old != seen);
  if (mine % 2 == 0) *found = 1;
}

int main() {
  int *best, *found, host = 0;
  cudaMalloc(&best, sizeof(int));
  cudaMalloc(&found, sizeof(int));
  cudaMemset(best, 0, sizeof(int));
  cudaMemset(found, 0, sizeof(int));
  largest<<<16, 64>>>(best, found);
  cudaMemcpy(&host, best, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(best);
  cudaFree(found);
  return host == 1023 ? 0 : 1;
}
