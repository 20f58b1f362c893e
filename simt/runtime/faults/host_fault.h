#pragma once

#include <driver_types.h>

namespace simt {

// A call of the CUDA API failed in host code. `allocator` is its name if it was to give memory: then its
// caller may hold a pointer to nothing. The first of each kind is kept.
void note_failed_call(cudaError_t error, const char* allocator);

// In the handler of a fault of the host's code at `instruction`: if a CUDA call had failed before, says so.
void explain_host_fault(const void* instruction);

}  // namespace simt
