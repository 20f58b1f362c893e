// The tile at the top of the file is read before all threads have filled it.
__shared__ float tile[64];

__device__ float neighbour(int i) {
  return tile[(i + 33) % 64];
}

__global__ void rotate(const float* in, float* out) {
  int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = neighbour(i);
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  rotate<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
