// The steps inside a warp need no barrier of the block.
__global__ void sum(int* out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int half = 128; half > 32; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    int v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) *out = v;
  }
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  sum<<<1, 256>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
