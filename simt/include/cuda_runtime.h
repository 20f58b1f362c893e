#pragma once
#define __CUDA_RUNTIME_H__  // CUDA's guard: programs ask by it whether this header is in

// What nvcc includes before every .cu file: the types, the runtime API, the math functions and the
// device-side built-ins, and the C headers that programs forget because nvcc's have them.

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <simt/host_defines.h>

#include <builtin_types.h>
#include <vector_functions.h>

#include <cuda_runtime_api.h>
#include <simt/api_templates.h>

#include <math_functions.h>

#include <simt/device.h>
