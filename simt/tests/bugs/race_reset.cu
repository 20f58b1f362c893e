// One thread sets the counter to zero while others already count.
__global__ void pick(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (in[threadIdx.x] % 3 == 0) out[atomicAdd(&count, 1)] = in[threadIdx.x];
}

int main() {
  int host[128], *in, *out;
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  pick<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
