// Shuffles of every kind and width, and with masks of some lanes. A line has one letter a lane: the
// lane whose value came (0 to 9, a to v), or a point for a lane that took no part.
#include "facts.h"

enum Kind { from, up, down, exchange };

__device__ int shuffle(Kind kind, unsigned mask, int value, int distance, int width) {
  switch (kind) {
    case from:
      return __shfl_sync(mask, value, distance, width);
    case up:
      return __shfl_up_sync(mask, value, distance, width);
    case down:
      return __shfl_down_sync(mask, value, distance, width);
    default:
      return __shfl_xor_sync(mask, value, distance, width);
  }
}

__global__ void shuffles(Kind kind, unsigned mask, int distance, int width) {
  __shared__ char text[33];
  const int lane = threadIdx.x;
  text[lane] = '.';
  if (mask >> lane & 1)
    text[lane] = "0123456789abcdefghijklmnopqrstuv"[shuffle(kind, mask, lane, distance, width)];
  if (lane == 0) text[32] = 0;
  __syncthreads();
  if (lane > 0) return;
  const char* const names[] = {"from", "up", "down", "xor"};
  printf("%s by %d, width %d, mask 0x%08x: %s\n", names[kind], distance, width, mask, text);
}

template <class T>
__global__ void of_type(Name name, T first, T step) {
  const T mine = first + step * static_cast<T>(threadIdx.x);
  const T got = __shfl_xor_sync(0xffffffffu, mine, 5);
  if (threadIdx.x == 6) printf("xor of %s: %lld\n", name.text, static_cast<long long>(got));
}

int main() {
  for (int kind = from; kind <= exchange; ++kind) {
    for (int width = 1; width <= 32; width *= 2) {
      for (int distance : {1, width / 2, width - 1, width + 3, 31}) {
        shuffles<<<1, 32>>>(static_cast<Kind>(kind), 0xffffffffu, distance, width);
        cudaDeviceSynchronize();
      }
    }
  }
  // The lanes that values come from are in the masks: from others anything may come.
  shuffles<<<1, 32>>>(from, 0x0000ffffu, 7, 32);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(from, 0xaaaaaaaau, 5, 8);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(exchange, 0x00ff00ffu, 3, 32);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(exchange, 0x55555555u, 2, 16);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(from, 0x80000000u, 31, 32);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(down, 0xf0f0f0f0u, 2, 4);
  cudaDeviceSynchronize();
  shuffles<<<1, 32>>>(up, 0xff00ff00u, 4, 8);
  cudaDeviceSynchronize();
  of_type<<<1, 32>>>(Name{"int"}, -100, 7);
  cudaDeviceSynchronize();
  of_type<<<1, 32>>>(Name{"unsigned"}, 4000000000u, 3u);
  cudaDeviceSynchronize();
  of_type<<<1, 32>>>(Name{"long long"}, -(1ll << 40), 1ll << 35);
  cudaDeviceSynchronize();
  of_type<<<1, 32>>>(Name{"float"}, 0.0f, 1024.0f);
  cudaDeviceSynchronize();
  of_type<<<1, 32>>>(Name{"double"}, 1.0, 1048576.0);
  return finished();
}
