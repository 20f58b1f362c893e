// All lanes vote in the last round too.
__global__ void count(const int* in, int n, int* out) {
  for (int first = 0; first < n; first += 32) {
    int i = first + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, i < n && in[i] > 0);
    if (threadIdx.x == 0) *out += __popc(votes);
  }
}

int main() {
  const int n = 32 * 3 + 5;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 1, n * sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  count<<<1, 32>>>(in, n, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
