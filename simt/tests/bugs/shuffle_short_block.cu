// The block has 20 threads, and its shuffles read lanes that it does not have.
__global__ void sum(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *out = v;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 20 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 20 * sizeof(int));
  sum<<<1, 20>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
