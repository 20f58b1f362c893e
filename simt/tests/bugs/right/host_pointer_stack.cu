// The result goes to memory that both sides see.
__global__ void largest(const int* in, int* out) {
  int best = in[0];
  for (int i = 1; i < 16; ++i) best = max(best, in[i]);
  *out = best;
}

int main() {
  int* in;
  cudaMalloc(&in, 16 * sizeof(int));
  cudaMemset(in, 0, 16 * sizeof(int));
  int* best;
  cudaMallocManaged(&best, sizeof(int));
  largest<<<1, 1>>>(in, best);
  cudaDeviceSynchronize();
  cudaFree(best);
  cudaFree(in);
}
