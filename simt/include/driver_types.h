#pragma once
#define __DRIVER_TYPES_H__  // CUDA's guard: programs ask by it whether this header is in

// The types of the runtime API, grouped by topic in simt/types_*.h. Names, values and field order
// are CUDA 13's, so that code that copies or compares them keeps working.

#include <simt/error_codes.h>
#include <simt/host_defines.h>
#include <simt/types_device.h>
#include <simt/types_graph.h>
#include <simt/types_graph_node.h>
#include <simt/types_launch.h>
#include <simt/types_memory.h>
#include <simt/types_texture.h>
#include <vector_types.h>

#include <climits>

enum cudaError {
#define SIMT_ENUMERATOR(name, value, text) name = value,
  SIMT_CUDA_ERRORS(SIMT_ENUMERATOR)
#undef SIMT_ENUMERATOR
      cudaErrorApiFailureBase = 10000
};
typedef cudaError cudaError_t;

typedef struct CUexternalMemory_st* cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st* cudaExternalSemaphore_t;
typedef struct cudaGraphicsResource* cudaGraphicsResource_t;
