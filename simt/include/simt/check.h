#pragma once

// What checked device code calls (`warpath-cc --check`); libsimt_check.so has it. The translator
// puts the calls in.

#include <cstddef>

extern "C" {
// A __device__ or __constant__ variable.
void simt_check_variable(const char* name, const volatile void* base, std::size_t size);
// In place of the C functions.
void* simt_check_memcpy(void* to, const void* from, std::size_t size);
void* simt_check_memmove(void* to, const void* from, std::size_t size);
void* simt_check_memset(void* to, int value, std::size_t size);
}
