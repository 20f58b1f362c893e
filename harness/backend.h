// What the harness must know about the CPU backend beyond CUDA itself. Everything else goes through
// the device library (device/device.h), which is the same source for every backend.
#pragma once

namespace warpath::harness {

// Called in a worker process before its device library is opened. Kernels on a CPU get that many OS
// threads, and uninitialised shared memory is filled with ones: a GPU mostly has zeros there, and a
// kernel that relies on them must not pass. A GPU backend ignores both.
void prepare_worker(int threads);

// The library with the run time of checked kernels, in lib/, and its functions by name;
// simt/README.md describes them.
inline constexpr const char* check_library_file = "libsimt_check.so";
struct CheckSymbols {
  const char *take_findings, *name, *forget;
};
inline constexpr CheckSymbols check_symbols{"simt_check_take_findings", "simt_check_name",
                                            "simt_check_forget"};

}  // namespace warpath::harness
