// What threads print before and after barriers: each warp's lanes together, warp after warp.
#include <cstdio>

__global__ void phases() {
  __shared__ int sums[64];
  const int t = static_cast<int>(threadIdx.x);
  sums[t] = t;
  if (t % 32 < 2) printf("a%d ", t);
  if (t % 32 < 2) printf("b%d ", t);
  __syncthreads();
  for (int half = 32; half > 1; half /= 4) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
    if (t == 0) printf("\n%d:", half);
    if (t < 3) printf(" %d", sums[t]);
    __syncthreads();
  }
  if (t < 2) printf("\nend");
  if (t == 1) printf("\n");
}

int main() {
  phases<<<2, 64>>>();
  cudaDeviceSynchronize();
}
