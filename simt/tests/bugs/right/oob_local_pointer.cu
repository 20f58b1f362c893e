// A device function puts as many factors as its caller has room for.
__device__ int factors(int n, int* found) {
  int count = 0;
  for (int k = 2; n > 1; ++k) {
    for (; n % k == 0; n /= k) found[count++] = k;
  }
  return count;
}

__global__ void largest(int* out) {
  int found[7];
  int count = factors(threadIdx.x + 2, found);
  out[threadIdx.x] = found[count - 1];
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  largest<<<1, 128>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
