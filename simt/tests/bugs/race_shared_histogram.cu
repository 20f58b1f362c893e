// Two threads with the same digit add one to the same bin.
__global__ void histogram(const unsigned char* text, int n, int* out) {
  __shared__ int bins[26];
  int t = threadIdx.x;
  if (t < 26) bins[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    ++bins[text[i] % 26];
  }
  __syncthreads();
  if (t < 26) out[t] = bins[t];
}

int main() {
  unsigned char host[500], *text;
  for (int i = 0; i < 500; ++i) host[i] = i * 31 % 251;
  int* out;
  cudaMalloc(&text, sizeof host);
  cudaMalloc(&out, 26 * sizeof(int));
  cudaMemcpy(text, host, sizeof host, cudaMemcpyHostToDevice);
  histogram<<<1, 128>>>(text, 500, out);
  cudaDeviceSynchronize();
  cudaFree(text);
  cudaFree(out);
}
