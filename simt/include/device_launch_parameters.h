#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__  // CUDA's guard: programs ask by it whether this header is in

// Programs include this by its old name; its content is part of cuda_runtime.h.

#include <cuda_runtime.h>
