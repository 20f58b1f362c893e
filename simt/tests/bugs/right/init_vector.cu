// The padding behind the numbers is zero, so that vectors of four can be read.
__global__ void produce(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void sum(const float* x, float* out, int n) {
  float total = 0;
  for (int i = 0; i < n / 4; ++i) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    total += v.x + v.y + v.z + v.w;
  }
  *out = total;
}

int main() {
  const int n = 998, padded = 1000;
  float *x, *out;
  cudaMalloc(&x, padded * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(x, 0, padded * sizeof(float));
  produce<<<4, 256>>>(x, n);
  sum<<<1, 1>>>(x, out, padded);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(out);
}
