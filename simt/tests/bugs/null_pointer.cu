// Nobody looks whether the memory could be had.
__global__ void fill(int* out) {
  out[threadIdx.x] = 1;
}

int main() {
  int* out = nullptr;
  size_t free_bytes, all_bytes;
  cudaMemGetInfo(&free_bytes, &all_bytes);
  cudaMalloc(&out, 4 * all_bytes);
  fill<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
