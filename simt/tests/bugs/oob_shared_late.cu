// The butterfly sum takes one step too many, and only the last one leaves the array.
__global__ void sum(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int step = 1; step <= 128; step *= 2) {
    int other = s[t ^ step];
    __syncthreads();
    s[t] += other;
    __syncthreads();
  }
  out[t] = s[t];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  sum<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
