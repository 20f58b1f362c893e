// Producer and consumer wait at the same barrier.
__global__ void hand_over(int* out) {
  __shared__ int box[32];
  int t = threadIdx.x;
  if (t < 32) {
    box[t] = t;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (t >= 32) out[t - 32] = box[t - 32];
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  hand_over<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
