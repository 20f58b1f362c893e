// The sum starts from memory that nobody set.
__global__ void add(int* sum, const int* in) {
  *sum += in[threadIdx.x];
}

int main() {
  int *sum, *in, host = 5;
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&in, sizeof(int));
  cudaMemcpy(in, &host, sizeof host, cudaMemcpyHostToDevice);
  add<<<1, 1>>>(sum, in);
  cudaDeviceSynchronize();
  cudaFree(sum);
  cudaFree(in);
}
