// The tile is cleared before a bulk copy fills it, but without a fence between the two proxies: the zeros may land last.
#include "../programs/hopper.h"

__global__ void total(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  tile[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    hopper::init(&bar, 1);
    hopper::fence_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    hopper::expect(&bar, 32 * sizeof(int));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(hopper::address(tile)),
        "l"(in), "r"(32 * int(sizeof(int))), "r"(hopper::address(&bar))
        : "memory");
  }
  hopper::wait(&bar, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 1, 32 * sizeof(int));
  total<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
