// Block 0 sets the counter back for the next launch, while the other blocks may still count.
__device__ unsigned count = 0;

__global__ void sum(volatile float* parts, float* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1.0f;
    __threadfence();
    is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += parts[i];
    *out = total;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) count = 0;
}

int main() {
  float *parts, *out;
  cudaMalloc(&parts, 16 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  sum<<<16, 32>>>(parts, out);
  cudaDeviceSynchronize();
  cudaFree(parts);
  cudaFree(out);
}
