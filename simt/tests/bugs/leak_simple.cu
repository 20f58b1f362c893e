// The result is copied and the memory forgotten.
__global__ void fill(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
  static int host[1024];
  int* out;
  cudaMalloc(&out, sizeof host);
  fill<<<4, 256>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
