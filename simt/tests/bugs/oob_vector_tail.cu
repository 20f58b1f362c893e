// The last float4 of an array whose length is no multiple of four.
__global__ void copy(const float* in, float* out, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    *reinterpret_cast<float4*>(out + i) = *reinterpret_cast<const float4*>(in + i);
  }
}

int main() {
  const int n = 1022;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  copy<<<2, 128>>>(in, out, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
