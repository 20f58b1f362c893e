// The table at the top of the file is the host's: the kernel needs a copy, or __constant__.
float weights[8] = {1, 2, 3, 4, 4, 3, 2, 1};

__global__ void weigh(const float* x, const float* w, float* out) {
  int i = threadIdx.x;
  out[i] = x[i] * w[i % 8];
}

int main() {
  const int n = 32;
  float *x, *out;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  weigh<<<1, n>>>(x, weights, out);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(out);
}
