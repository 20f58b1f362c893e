// The left neighbour of element 0 is element 4294967295.
__global__ void differences(const int* in, int* out) {
  unsigned i = threadIdx.x;
  out[i] = in[i] - in[i - 1];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 256 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
  differences<<<1, 256>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
