#pragma once

// Text for reports: where a thread stood, what a block waits for.

#include <driver_types.h>
#include <simt/sync.h>
#include <simt/warp.h>

#include <string>

#include "scheduler/block.h"
#include "scheduler/grid.h"

namespace simt {

const char* name_of(Barrier kind);
const char* name_of(WarpOp op);
std::string hexadecimal(unsigned long long value);

// "0-15, 20" for the set positions.
std::string ranges(const std::vector<unsigned>& sorted);

// Which threads of a block that cannot go on wait where, and for what.
std::string deadlock_report(const Block& block);

// Ends the grid with a report that is complete as it is.
[[noreturn]] void fault_quietly(cudaError_t error, std::string report);

// A device-only function was called from host code: there is no sensible way on.
[[noreturn]] void host_misuse(const char* what, Site site);

// Where a signal handler's context was interrupted.
const void* instruction_of(const void* context);
// Called by the handler: "file:line" of that instruction, or of its caller in the program's own
// files; module and offset where debug information does not tell.
std::string describe_interrupted(const void* instruction);
// The innermost line of the program's own files on a stack that backtrace() gave; "" if there is none.
std::string describe_stack(void* const* frames, int depth);

// A barrier in memory and how many have arrived: see async/memory_barrier.cpp.
std::string describe_memory_barrier(const Block& block, const void* barrier);

}  // namespace simt
