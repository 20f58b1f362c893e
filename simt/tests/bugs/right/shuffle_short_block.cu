// The block is a whole warp, of which the last threads bring zeros.
__global__ void sum(const int* in, int* out) {
  int v = threadIdx.x < 20 ? in[threadIdx.x] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *out = v;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 20 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 20 * sizeof(int));
  sum<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
