// All lanes wait for an empty slot and only lane 0 fills it: the others may look after the barrier's next phase.
// One parity bit cannot tell it from the phase before, and they wait for ever.
#include "../programs/hopper.h"

constexpr int rounds = 4;

__global__ void pass_on(int* out) {
  __shared__ uint64_t full, empty;
  __shared__ int slot;
  if (threadIdx.x == 0) {
    hopper::init(&full, 1);
    hopper::init(&empty, 32);
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      hopper::wait(&empty, (round + 1) % 2);
      if (threadIdx.x == 0) {
        slot = round;
        hopper::arrive(&full);
      }
    } else {
      hopper::wait(&full, round % 2);
      out[threadIdx.x - 32] += slot;
      hopper::arrive(&empty);
    }
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  pass_on<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
