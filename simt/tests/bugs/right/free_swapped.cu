// Both buffers are freed when the last step is done.
#include <utility>

__global__ void step(const int* in, int* out) {
  out[threadIdx.x] = in[(threadIdx.x + 1) % 64];
}

int main() {
  int *now, *next;
  cudaMalloc(&now, 64 * sizeof(int));
  cudaMalloc(&next, 64 * sizeof(int));
  cudaMemset(now, 0, 64 * sizeof(int));
  for (int i = 0; i < 3; ++i) {
    step<<<1, 64>>>(now, next);
    std::swap(now, next);
  }
  step<<<1, 64>>>(now, next);
  cudaDeviceSynchronize();
  cudaFree(next);
  cudaFree(now);
}
