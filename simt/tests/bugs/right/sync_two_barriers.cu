// Readers and writers have one __syncthreads.
__global__ void roles(int* out) {
  __shared__ int box[32];
  int t = threadIdx.x;
  if (t < 32) box[t] = t;
  __syncthreads();
  if (t >= 32) out[t - 32] = box[t - 32];
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  roles<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
