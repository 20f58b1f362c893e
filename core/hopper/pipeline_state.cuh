// Where a producer or a consumer stands in a ring of stages.
#pragma once

namespace warpath::hopper {

// A stage and the parity of its barriers' phase, which flips each time the ring wraps around. A
// consumer waits for the "full" barrier with this parity, a producer for the "empty" one with the
// other.
template <int Stages>
struct PipelineState {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void skip(int stages) {
    stage += stages;
    parity ^= unsigned(stage / Stages) & 1;
    stage %= Stages;
  }
};

}  // namespace warpath::hopper
