// Every thread goes through the loop as often.
__global__ void total(const int* in, int n, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    if (i < n) atomicAdd(&sum, in[i]);
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
