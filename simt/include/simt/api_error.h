#pragma once

// Errors. Part of cuda_runtime_api.h.

#include <driver_types.h>

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
