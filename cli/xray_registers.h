// What ptxas says about the kernels of a file, where nvcc is here.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "harness/library.h"

namespace warpath::cli {

struct PtxasFacts {
  int registers = 0;  // per thread; 0: unknown
  int stack = 0;      // bytes of local memory per thread: indexed arrays and spills
  int spill_stores = 0, spill_loads = 0;  // bytes
};

// By the kernel's name without its template arguments, the most of its instances; empty without nvcc. Takes as long as
// compiling the file does.
std::map<std::string, PtxasFacts> registers_of(const harness::Places& places,
                                               const std::filesystem::path& file);

// Those of a kernel, which may be named with its template arguments.
PtxasFacts facts_of(const std::map<std::string, PtxasFacts>& kernels, const std::string& kernel);

}  // namespace warpath::cli
