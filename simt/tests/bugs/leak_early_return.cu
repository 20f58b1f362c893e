// The way out for nothing to do does not free the input.
__global__ void is_any(const int* in, int n, int* any) {
  if (threadIdx.x < n && in[threadIdx.x] != 0) *any = 1;
}

int find(int* any) {
  int *in, host;
  cudaMalloc(&in, 400);
  cudaMemset(in, 0, 400);
  cudaMemset(any, 0, sizeof(int));
  is_any<<<1, 128>>>(in, 100, any);
  cudaMemcpy(&host, any, sizeof host, cudaMemcpyDeviceToHost);
  if (host == 0) return 0;
  cudaFree(in);
  return host;
}

int main() {
  int* any;
  cudaMalloc(&any, sizeof(int));
  int found = find(any);
  cudaFree(any);
  return found;
}
