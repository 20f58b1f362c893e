// Two of three warps meet at a barrier of their own, and then read what the third wrote.
__global__ void shift(int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = s[t + 16];
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 96>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
