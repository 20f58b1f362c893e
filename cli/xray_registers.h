// How many registers the kernels of a file take, where nvcc is: ptxas says so.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "harness/library.h"

namespace warpath::cli {

// By the kernel's bare name; of a template the most. Empty where there is no nvcc, or it does not compile the file.
std::map<std::string, int> registers_of(const harness::Places& places,
                                        const std::filesystem::path& file);

}  // namespace warpath::cli
