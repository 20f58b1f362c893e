// The launch gives bytes where elements were meant.
__global__ void copy(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  copy<<<1, 64, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
