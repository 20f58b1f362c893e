// A fence puts each block's sum before its ticket.
__device__ unsigned tickets = 0;

__global__ void sum(float* parts, float* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1.0f;
    __threadfence();
    is_last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    __threadfence();
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += parts[i];
    *out = total;
  }
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
