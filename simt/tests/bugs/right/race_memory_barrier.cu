// Arrives at a barrier, and waits before it reads the neighbour's value.
#include <cuda/barrier>

__global__ void rotate(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  auto token = bar.arrive();
  bar.wait(std::move(token));
  out[threadIdx.x] = values[(threadIdx.x + 63) % 64];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  rotate<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
