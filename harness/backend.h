// What the harness must know about the CPU backend beyond CUDA itself. Everything else goes through
// the device library (device/device.h), which is the same source for every backend.
#pragma once
#include <string>

namespace warpath::harness {

// Called in a worker process before its device library is opened. Kernels on a CPU get that many OS
// threads, and uninitialised shared memory is filled with ones: a GPU mostly has zeros there, and a
// kernel that relies on them must not pass. A kernel that runs longer than the limit is stopped,
// and the backend prints where it was. A GPU backend ignores all of this. 0: the backend's own.
void prepare_worker(int threads, double seconds);

// "mine.cu:21" from what the backend printed when it stopped a kernel; empty when it did not.
std::string where_stopped(const std::string& printed);
// Whether the error of a launch says that its time was over.
bool is_timeout(const std::string& error);
// Whether the kernel was ended because its threads wait for each other, which simt knows at once: its code is that of a timeout.
bool is_deadlock(const std::string& printed);

// The library with the run time of checked kernels, in lib/, and its functions by name;
// simt/README.md describes them.
inline constexpr const char* check_library_file = "libsimt_check.so";
struct CheckSymbols {
  const char *take_findings, *name, *forget, *last_writer;
};
inline constexpr CheckSymbols check_symbols{"simt_check_take_findings", "simt_check_name",
                                            "simt_check_forget", "simt_check_last_writer"};

}  // namespace warpath::harness
