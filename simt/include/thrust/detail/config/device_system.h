#pragma once

// Thrust's devices. The device is "cuda" as with nvcc, but its algorithms are simt's
// (thrust/system/cuda/detail/algorithms.h): one set of overloads, found by the type of the policy.
// Thrust includes a header of the device's folder for every algorithm; those of the cpp folder do,
// and the five that matter are replaced (thrust/system/cpp).

#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM_OMP 2
#define THRUST_DEVICE_SYSTEM_TBB 3
#define THRUST_DEVICE_SYSTEM_CPP 4

// Whatever the program asks for (-DTHRUST_DEVICE_SYSTEM=...), there is one device.
#undef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CUDA

#define __THRUST_DEVICE_SYSTEM_NAMESPACE cuda
// clang-format off
#define __THRUST_DEVICE_SYSTEM_ROOT thrust/system/cpp
// clang-format on

// A part of the name of Thrust's inline namespace; nvcc defines it.
#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 900
#endif
