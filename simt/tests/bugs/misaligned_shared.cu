// Dynamic shared memory is cut behind an odd number of ints, for doubles.
__global__ void cut(double* out, int count) {
  extern __shared__ double pool[];
  int* flags = reinterpret_cast<int*>(pool);
  double* sums = reinterpret_cast<double*>(flags + count);
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
