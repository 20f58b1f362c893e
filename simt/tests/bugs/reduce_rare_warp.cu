// A whole-warp sum in a condition that only one warp of one block does not meet as a whole.
__global__ void sums(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] >= 0) {
    int sum = __reduce_add_sync(0xffffffffu, in[i]);
    if (i % 32 == 0) out[i / 32] = sum;
  }
}

int main() {
  static int host[40 * 64];
  host[37 * 64 + 45] = -1;
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 80 * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sums<<<40, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
