// The mask names the lanes that come.
__global__ void half(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_down_sync(0xffffu, static_cast<int>(threadIdx.x), 1);
  }
  __syncthreads();
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  half<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
