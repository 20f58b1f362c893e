#pragma once

// cudaProfilerStart and cudaProfilerStop: accepted, and without effect.

#include <cuda_runtime_api.h>
