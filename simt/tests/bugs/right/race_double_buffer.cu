// Two buffers in turn, with a barrier in each step.
__global__ void rotate(const int* in, int* out, int steps) {
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  tile[0][t] = in[t];
  __syncthreads();
  for (int i = 0; i < steps; ++i) {
    tile[(i + 1) % 2][t] = tile[i % 2][(t + 1) % 64];
    __syncthreads();
    sum += tile[(i + 1) % 2][t];
  }
  out[t] = sum;
}

int main() {
  int host[64], *in, *out;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  rotate<<<1, 64>>>(in, out, 5);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
