// Each step waits for the warp.
__global__ void sum(int* out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t < 32) s[t] += s[t + 32];
  __syncwarp();
  if (t < 16) s[t] += s[t + 16];
  if (t == 0) *out = s[0];
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  sum<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
