// Neighbours in a warp swap their values through shared memory as if they ran in lockstep.
__device__ int swap(int* s, int value) {
  int lane = threadIdx.x;
  s[lane] = value;
  return s[lane ^ 1];
}

__global__ void swaps(int* out) {
  __shared__ int s[32];
  out[threadIdx.x] = swap(s, 3 * threadIdx.x);
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  swaps<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
