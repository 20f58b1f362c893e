#pragma once

// CCCL's names for __host__ and __device__, which are empty for a compiler that is not nvcc. A program may
// mark its own functions with them, and the translator must see which those are.

#include_next <cuda/std/__cccl/execution_space.h>

#ifdef __SIMT_TRANSLATE__
#undef _CCCL_HOST
#undef _CCCL_DEVICE
#undef _CCCL_HOST_DEVICE
#define _CCCL_HOST __host__
#define _CCCL_DEVICE __device__
#define _CCCL_HOST_DEVICE __host__ __device__
#endif
