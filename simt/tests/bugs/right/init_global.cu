// The sum starts from 0.
__global__ void add(int* sum, const int* in) {
  *sum += in[threadIdx.x];
}

int main() {
  int *sum, *in, host = 5;
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&in, sizeof(int));
  cudaMemcpy(in, &host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(int));
  add<<<1, 1>>>(sum, in);
  cudaDeviceSynchronize();
  cudaFree(sum);
  cudaFree(in);
}
