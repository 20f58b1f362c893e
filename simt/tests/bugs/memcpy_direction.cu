// The result is copied with source and destination as they were on the way in.
__global__ void fill(int* out) {
  out[threadIdx.x] = threadIdx.x;
}

int main() {
  int host[32] = {}, *out;
  cudaMalloc(&out, sizeof host);
  fill<<<1, 32>>>(out);
  cudaMemcpy(out, host, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return host[31] == 31 ? 0 : 1;
}
