// Rows of 36 floats: every one begins at a multiple of 16 bytes
__global__ void sums_of_rows(const float* m, int stride, float* out) {
  float x, y, z, w;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(m + threadIdx.x * stride));
  out[threadIdx.x] = x + y + z + w;
}

int main() {
  const int stride = 36;
  float *m, *out;
  cudaMalloc(&m, 32 * stride * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(m, 0, 32 * stride * sizeof(float));
  sums_of_rows<<<1, 32>>>(m, stride, out);
  cudaDeviceSynchronize();
  cudaFree(m);
  cudaFree(out);
}
