// Barriers, fences and a trap in inline PTX.
#include <cstdio>

__global__ void turn(int* out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 0;" ::: "memory");
  out[threadIdx.x] = shared[63 - threadIdx.x];
  asm volatile("membar.gl;" ::: "memory");
  asm("membar.cta;");
}

__global__ void trapped() {
  if (threadIdx.x == 3) asm("trap;");
}

// Two phases of an mbarrier: one waited for by its state, one by its parity.
__global__ void phases(int* out) {
  __shared__ unsigned long long bar;
  __shared__ int value[2];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(64));
  __syncthreads();
  if (threadIdx.x == 63) value[0] = 5;
  unsigned long long state;
  unsigned over = 0;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at));
  while (!over) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(at), "l"(state));
  }
  if (threadIdx.x == 40) value[1] = value[0] + 1;
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at));
  for (over = 0; !over;) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(over)
        : "r"(at));
  }
  out[threadIdx.x] = value[1];
}

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  turn<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", out[0], out[31], out[63]);
  phases<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", out[0], out[63]);
  trapped<<<1, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
