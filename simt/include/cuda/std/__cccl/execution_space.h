#pragma once

// For CCCL there is no nvcc (compiler.h), so its words for the sides of a function would be empty. A program's functions
// need them: a kernel may call those of the device only.

#include_next <cuda/std/__cccl/execution_space.h>
#ifdef __CUDACC__
#include <simt/cccl_sides.inc>
#endif
