#pragma once

// Everything device code can use that is not a math function: this is what the translator's output
// and the public cuda_runtime.h rest on.

#include <simt/async_copy.h>
#include <simt/atomic.h>
#include <simt/cluster.h>
#include <simt/fault.h>
#include <simt/kernel.h>
#include <simt/launch.h>
#include <simt/memory.h>
#include <simt/ptx.h>
#include <simt/self.h>
#include <simt/shared.h>
#include <simt/special.h>
#include <simt/split.h>
#include <simt/sync.h>
#include <simt/texture.h>
#include <simt/warp.h>

// Under warpath-cc the execution-space keywords reach the translator as tokens: it needs to know
// which functions are kernels and which code runs on the device, and removes them.
#ifdef __SIMT_TRANSLATE__
#undef __global__
#undef __device__
#undef __host__
#undef __cluster_dims__
#undef __launch_bounds__
#define __global__ __simt_global__
#define __device__ __simt_device__
#undef __constant__
#define __constant__ __simt_constant__ __simt_variable__
#undef __managed__
#define __managed__ __simt_managed__ __simt_variable__
#define __host__ __simt_host__
#define __cluster_dims__(...) __simt_cluster_dims__(__VA_ARGS__)
#define __launch_bounds__(...) __simt_launch_bounds__(__VA_ARGS__)
#ifdef __SIMT_XRAY__
#undef __grid_constant__
#define __grid_constant__ __simt_grid_constant__
#endif
#ifdef __SIMT_CHECK__
#undef __constant__
#define __constant__ __simt_constant__ __simt_device__
#undef __managed__
#define __managed__ __simt_managed__ __simt_device__
#include <simt/check.h>
#endif
#endif
