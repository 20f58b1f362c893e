// The result goes to a variable of main.
__global__ void largest(const int* in, int* out) {
  int best = in[0];
  for (int i = 1; i < 16; ++i) best = max(best, in[i]);
  *out = best;
}

int main() {
  int* in;
  cudaMalloc(&in, 16 * sizeof(int));
  cudaMemset(in, 0, 16 * sizeof(int));
  int best = 0;
  largest<<<1, 1>>>(in, &best);
  cudaDeviceSynchronize();
  cudaFree(in);
}
