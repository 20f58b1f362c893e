#pragma once

// What checked device code calls (`warpath-cc --check`); libsimt_check.so has it. The translator
// puts the calls in.

#include <cstddef>

#include <simt/array_shape.h>

extern "C" {
void simt_check_shaped_variable(const char* name, const volatile void* base, std::size_t size,
                                const simt::ArrayShape* shape);
void simt_check_variable_template();
// In place of the C functions.
void* simt_check_memcpy(void* to, const void* from, std::size_t size);
void* simt_check_memmove(void* to, const void* from, std::size_t size);
void* simt_check_memset(void* to, int value, std::size_t size);
}

// A __device__ or __constant__ variable.
template <class T>
void simt_check_variable(const char* name, const volatile T* base, std::size_t size) {
  static constexpr simt::ArrayShape shape = simt::shape_of<T>();
  simt_check_shaped_variable(name, base, size, &shape);
}

#ifdef __SIMT_XRAY__
#include <simt/xray.h>
#endif
