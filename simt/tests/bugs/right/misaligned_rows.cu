// Rows of 36 floats are read as float4.
__global__ void first_of_rows(const float* m, int stride, float* out) {
  const float4* row = reinterpret_cast<const float4*>(m + threadIdx.x * stride);
  float4 v = row[2];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
  const int stride = 36;
  float *m, *out;
  cudaMalloc(&m, 32 * stride * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(m, 0, 32 * stride * sizeof(float));
  first_of_rows<<<1, 32>>>(m, stride, out);
  cudaDeviceSynchronize();
  cudaFree(m);
  cudaFree(out);
}
