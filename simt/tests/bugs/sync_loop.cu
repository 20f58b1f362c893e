// The barrier is in a loop that some threads go through once more than others.
__global__ void total(const int* in, int n, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&sum, in[i]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  const int n = 150;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  total<<<1, 64>>>(in, n, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
