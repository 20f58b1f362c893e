// A binary search that is done when its range is empty.
__device__ int lower_bound(const int* sorted, int n, int key) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ int rank(const int* sorted, int n, int key) {
  return lower_bound(sorted, n, key + 1);
}

__global__ void ranks(const int* sorted, int n, int* out) {
  out[threadIdx.x] = rank(sorted, n, threadIdx.x);
}

int main() {
  int host[48], *sorted, *out;
  for (int i = 0; i < 48; ++i) host[i] = i;
  cudaMalloc(&sorted, sizeof host);
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(sorted, host, sizeof host, cudaMemcpyHostToDevice);
  ranks<<<1, 64>>>(sorted, 48, out);
  cudaDeviceSynchronize();
  cudaFree(sorted);
  cudaFree(out);
}
