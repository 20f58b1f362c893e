// Each thread reads its neighbour's value without waiting for it.
__global__ void shift(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  out[t] = s[(t + 1) % 64];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
