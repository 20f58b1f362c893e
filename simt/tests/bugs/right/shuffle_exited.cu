// All lanes of the last warp stay for the shuffles.
__global__ void sum(const int* in, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

int main() {
  const int n = 50;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  sum<<<1, 64>>>(in, n, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
