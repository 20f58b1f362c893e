// Only half of the tile is filled.
__global__ void copy(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < 32) tile[t] = t;
  __syncthreads();
  out[t] = tile[t];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  copy<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
