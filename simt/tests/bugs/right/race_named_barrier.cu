// All three warps meet at the barrier.
__global__ void shift(int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = t;
  asm volatile("bar.sync 1, 96;" ::: "memory");
  if (t < 64) out[t] = s[t + 16];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 96>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
