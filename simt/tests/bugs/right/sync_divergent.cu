// All threads wait at the same barrier.
__global__ void meet(int* out) {
  const int count = __syncthreads_count(threadIdx.x < 32);
  if (threadIdx.x == 0) out[0] = count;
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  meet<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
