// A block with nothing to add writes no partial sum, and the second kernel misses it.
__global__ void parts(const int* in, int* part) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += in[blockIdx.x * 8 + i];
  if (sum > 0) part[blockIdx.x] = sum;
}
__global__ void total(const int* part, int* out) {
  int sum = part[threadIdx.x];
  if (threadIdx.x < 8) sum += part[threadIdx.x + 32];
  atomicAdd(out, sum);
}

int main() {
  static int host[40 * 8];
  for (int i = 0; i < 320; ++i) host[i] = i / 8 != 37;
  int *in, *part, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&part, 40 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(int));
  parts<<<40, 1>>>(in, part);
  total<<<1, 32>>>(part, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(part);
  cudaFree(out);
}
