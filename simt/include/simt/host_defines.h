#pragma once

// CUDA's keywords as macros. On a CPU there is one kind of code and one address space, so most of
// them vanish. Two keywords are missing here on purpose, because a macro cannot express them and
// the translator handles the token itself:
//   __noinline__  libstdc++ writes __attribute__((__noinline__)), which a macro would break;
//   __shared__    turns a declaration into a place in the block's shared memory.

#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define __CUDART_API_VERSION 13000
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif

// Says "this is simt, not a GPU" to a program that wants to know (to shrink a benchmark, say).
#define __SIMT__ 1

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __tile__
#define __nv_tex_surf__

#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __grid_constant__

#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __builtin_align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __thread__ __thread
#define __no_return__ __attribute__((noreturn))
#define __import__
#define __export__
#define __location__(...)
#define __annotate__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static

// nvcc and clang have this; g++ can be told the same in its own words.
#ifndef __clang__
#define __builtin_assume(...) ((__VA_ARGS__) ? (void)0 : __builtin_unreachable())
#endif
#define __assume(...) __builtin_assume(__VA_ARGS__)

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDA_CB
#define CUDAAPI
