#pragma once

// How the parts of simt tell each other that something went wrong. See runtime/api/error.cpp for
// the rules.

#include <driver_types.h>

#include <cstddef>
#include <string>

namespace simt {

// A launch was refused before it ran: recorded as this thread's last error, not sticky. The reason
// says in words which number is wrong.
void launch_failed(cudaError_t error, const std::string& reason = "");

// A kernel faulted while it ran: prints the report on stderr now; the code becomes visible at the
// next synchronising call and then sticks to every call until cudaDeviceReset.
void kernel_faulted(cudaError_t error, const std::string& report);

// Prints a report on stderr, or keeps it where the program asked for that (simt_keep_reports).
void show_report(const std::string& text);
// The same for a launch that was refused.
void show_refusal(const std::string& text);

// True from a fault until cudaDeviceReset: launches are refused.
bool is_poisoned();

// Bytes of shared memory: of the kernel's own variables, and what a launch may ask for beside them.
// Both together have 48 KiB unless cudaFuncSetAttribute raised it.
struct SharedLimit {
  std::size_t own;
  std::size_t dynamic;
  bool is_set;
};
SharedLimit shared_limit_of(const void* kernel);

// Threads of a block that its __launch_bounds__ allow; 0 if it has none, or is a template.
unsigned launch_bound_of(const void* kernel);

// A launch of this kernel used so many bytes of static shared memory.
void note_static_shared(const void* kernel, std::size_t bytes);

// Whether cudaFuncSetAttribute has allowed this kernel clusters of more than 8 blocks.
bool may_exceed_portable_cluster(const void* kernel);

// Writes what kernels printed to stdout; every synchronising call does this.
void flush_device_printf();
// The host called something of the runtime's.
void note_runtime_call();

}  // namespace simt
