// Pairs at even elements.
__global__ void pairs(float2* out, const float* in) {
  out[threadIdx.x] = *reinterpret_cast<const float2*>(in + 2 * threadIdx.x + 2);
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(in, 0, 256 * sizeof(float));
  pairs<<<1, 32>>>(reinterpret_cast<float2*>(out), in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
