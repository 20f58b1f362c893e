// Programmatic dependent launch, in the kernel: it may start while the kernel before it on the stream still runs
// (core/host/dependent_launch.cuh). Needs sm_90; on older devices kernels run one after the other.
#pragma once

namespace warpath::ptx {

// Returns when the kernels before this one have ended and what they wrote is visible. Every thread calls it before it reads what
// they may have written and before it writes anything: they may still read what lies there. Returns at once in an ordinary
// launch.
__device__ __forceinline__ void wait_for_grids_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The next kernel on the stream may start once every block has called this or has ended, if it was launched to do so. It says
// nothing about memory: the next kernel waits for that by the function above.
__device__ __forceinline__ void let_next_grid_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace warpath::ptx
