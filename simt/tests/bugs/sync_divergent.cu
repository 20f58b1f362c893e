// Half of the threads wait at one barrier, half at another of another kind.
__global__ void meet(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    out[0] = __syncthreads_count(1);
  }
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  meet<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
