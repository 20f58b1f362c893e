// The barrier is made for all threads.
#include <cuda/barrier>

__global__ void shift(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[t] = t;
  bar.arrive_and_wait();
  out[t] = s[63 - t];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
