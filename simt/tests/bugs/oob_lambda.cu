// The grid-stride loop counts to the padded size, not to the size.
__global__ void square(int* data, int n, int padded) {
  auto for_each = [=](auto body) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < padded; i += gridDim.x * blockDim.x) {
      body(i);
    }
  };
  for_each([=](int i) { data[i] = i * i + n + padded; });
}

int main() {
  const int n = 999;
  int* data;
  cudaMalloc(&data, n * sizeof(int));
  square<<<2, 64>>>(data, n, (n + 127) / 128 * 128);
  cudaDeviceSynchronize();
  cudaFree(data);
}
