// Which block of a group is the last to be done: it finishes what the others have begun, in the same launch.
#pragma once

namespace warpath {

// True for all threads of the block that calls this last of `blocks`: then it may read, by __ldcg, what thread 0 of each
// of them wrote before its call. `done` is a counter in global memory that starts at zero; set it back with
// atomicExch(done, 0) for the next launch. `is_last` is a shared variable of the block, free until its next barrier.
__device__ __forceinline__ bool is_last_block(unsigned* done, unsigned blocks, bool& is_last) {
  if (threadIdx.x == 0) {
    __threadfence();  // what was written is visible before the count that announces it
    is_last = atomicAdd(done, 1u) == blocks - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

}  // namespace warpath
