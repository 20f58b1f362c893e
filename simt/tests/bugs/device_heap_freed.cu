// A thread frees the block's buffer while the others still read it.
__global__ void share(int* out) {
  __shared__ int* buffer;
  if (threadIdx.x == 0) {
    buffer = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
    for (unsigned i = 0; i < blockDim.x; ++i) buffer[i] = static_cast<int>(i);
  }
  __syncthreads();
  if (threadIdx.x == 0) free(buffer);
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  share<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
