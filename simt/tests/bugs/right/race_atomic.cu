// The counters are read when all have added.
__global__ void histogram(int* out) {
  __shared__ int bins[4];
  int t = threadIdx.x;
  if (t < 4) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t % 4], 1);
  __syncthreads();
  if (t < 4) out[t] = bins[t];
}

int main() {
  int* out;
  cudaMalloc(&out, 4 * sizeof(int));
  histogram<<<1, 128>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
