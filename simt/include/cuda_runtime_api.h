#pragma once
#define __CUDA_RUNTIME_API_H__  // CUDA's guard: programs ask by it whether this header is in

// The CUDA runtime API, grouped by topic in simt/api_*.h.
//
// The functions have C++ linkage although CUDA's have C linkage: a process may hold both simt and
// NVIDIA's libcudart (one program that runs the same kernel on both machines), and C names would
// make the two libraries answer each other's calls.

#include <driver_types.h>
#include <simt/api_device.h>
#include <simt/api_error.h>
#include <simt/api_function.h>
#include <simt/api_graph.h>
#include <simt/api_graph_nodes.h>
#include <simt/api_memory.h>
#include <simt/api_stream.h>
#include <simt/api_texture.h>
