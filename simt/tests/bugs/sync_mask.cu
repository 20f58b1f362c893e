// The mask names all lanes, but half of them never come.
__global__ void half(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, static_cast<int>(threadIdx.x), 1);
  } else {
    __syncthreads();
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  half<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
