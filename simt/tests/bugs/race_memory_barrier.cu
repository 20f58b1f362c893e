// Arrives at a barrier, and reads the neighbour's value without waiting.
#include <cuda/barrier>

__global__ void rotate(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  auto token = bar.arrive();
  out[threadIdx.x] = values[(threadIdx.x + 63) % 64];
  bar.wait(std::move(token));
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  rotate<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
