// The doubles come first.
__global__ void cut(double* out, int count) {
  extern __shared__ double pool[];
  double* sums = pool;
  int* flags = reinterpret_cast<int*>(sums + 32);
  int t = threadIdx.x;
  if (t < count) flags[t] = t;
  sums[t] = t;
  __syncthreads();
  out[t] = sums[31 - t] + flags[t % count];
}

int main() {
  double* out;
  cudaMalloc(&out, 32 * sizeof(double));
  cut<<<1, 32, 32 * sizeof(double) + 8 * sizeof(int)>>>(out, 7);
  cudaDeviceSynchronize();
  cudaFree(out);
}
