// When the memory cannot be had, less is taken.
__global__ void fill(int* out) {
  out[threadIdx.x] = 1;
}

int main() {
  int* out = nullptr;
  size_t free_bytes, all_bytes;
  cudaMemGetInfo(&free_bytes, &all_bytes);
  cudaMalloc(&out, all_bytes / 1024);
  fill<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
