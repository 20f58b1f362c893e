// An array of the device heap has room for one value less than is written.
struct Values {
  int count;
  int* data;
};

__global__ void fill(int* out, int n) {
  Values values{n, new int[n]};
  for (int i = 0; i <= values.count; ++i) values.data[i] = i;
  out[threadIdx.x] = values.data[n - 1];
  delete[] values.data;
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  fill<<<1, 64>>>(out, 10);
  cudaDeviceSynchronize();
  cudaFree(out);
}
