// The kernel gets a copy of the host's table, and has one of its own.
float weights[8] = {1, 2, 3, 4, 4, 3, 2, 1};
__constant__ float own[8] = {1, 1, 1, 1, 1, 1, 1, 1};

__global__ void weigh(const float* x, const float* w, float* out) {
  static const float last[4] = {1, 2, 3, 4};
  int i = threadIdx.x;
  out[i] = x[i] * w[i % 8] * own[i % 8] * last[i % 4];
}

int main() {
  const int n = 32;
  float *x, *w, *out;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&w, sizeof weights);
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemcpy(w, weights, sizeof weights, cudaMemcpyHostToDevice);
  weigh<<<1, n>>>(x, w, out);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(w);
  cudaFree(out);
}
