#pragma once

// What kernels may call of the runtime API is in the runtime API's own header here.

#include <cuda_runtime_api.h>
