#pragma once

// simt's CUB: the names and behaviour of NVIDIA's, as its documents say, over simt's own blocks and
// warps. Device-wide functions run as a grid of one thread; block and warp primitives use shared
// memory and barriers, so that what is wrong with a program's use of them shows.

#include <cuda_bf16.h>  // programs rely on NVIDIA's headers to bring the small floats
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <simt/device_task.h>
#include <simt/group_warp.h>
#include <simt/cccl_sides.inc>

#include <chrono>  // programs rely on NVIDIA's headers to bring it

#define CUB_RUNTIME_FUNCTION
#define CUB_DETAIL_KERNEL_ATTRIBUTES __global__
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_NS_QUALIFIER ::cub
#define CUB_VERSION 300001
#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
#define CUB_SUBMINOR_VERSION 1
#define CUB_PTX_ARCH 900
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(arch) 32
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_IS_DEVICE_CODE 1
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) < (b)) ? (b) : (a))
