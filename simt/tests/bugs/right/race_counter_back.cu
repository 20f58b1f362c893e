// The last block sets the counter back when all others have counted, as in the programming guide: no other update can follow.
// Another of its threads may do so after a barrier.
__device__ unsigned count = 0;

__global__ void sum(volatile float* parts, float* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1.0f;
    __threadfence();
    is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 1) count = 0;
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += parts[i];
    *out = total;
  }
}

int main() {
  float *parts, *out;
  cudaMalloc(&parts, 16 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  for (int i = 0; i < 3; ++i) sum<<<16, 32>>>(parts, out);
  cudaDeviceSynchronize();
  cudaFree(parts);
  cudaFree(out);
}
