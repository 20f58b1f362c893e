// A thread lends a copy of its local variable to its neighbours through shared memory.
__global__ void lend(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + 1) % 32];
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  lend<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
