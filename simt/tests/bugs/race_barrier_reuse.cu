// One warp fills a buffer, another adds it up. The first does not wait until the second has read it.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void stream(const int* in, int* out, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full, empty;
  __shared__ int buffer[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    init(&empty, blockDim.x);
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      buffer[lane] = in[round * 32 + lane];
      full.arrive_and_wait();
      (void)empty.arrive();
    } else {
      full.arrive_and_wait();
      sum += buffer[31 - lane];
      (void)empty.arrive();
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

int main() {
  const int rounds = 4;
  int *in, *out;
  cudaMalloc(&in, rounds * 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 1, rounds * 32 * sizeof(int));
  stream<<<1, 64>>>(in, out, rounds);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
