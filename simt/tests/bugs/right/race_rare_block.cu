// Every block meets its barrier.
__global__ void reverse(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = in[i];
  bool clamp = blockIdx.x != 37;
  if (clamp) s[t] = min(s[t], 100);
  __syncthreads();
  out[i] = s[63 - t];
}

int main() {
  static int host[40 * 64];
  for (int i = 0; i < 40 * 64; ++i) host[i] = i;
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<40, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
