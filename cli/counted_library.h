// Shipped rungs that were compiled to be counted are kept in the build folder: compiling takes longer than counting.
#pragma once
#include <filesystem>
#include <string>

#include "harness/library.h"

namespace warpath::cli {

// Where the library of a rung is or belongs, built for `one_float` (empty: for all types). The name changes with whatever
// it is made of: the rung, the files whose kernels it launches, their headers, the compiler. Empty: not a rung of the tree.
std::filesystem::path counted_library(const harness::Places& places,
                                      const std::filesystem::path& source,
                                      const std::string& one_float);

// Copies `built` there and removes what was there under older names. False: that folder cannot be written.
bool keep_counted_library(const std::filesystem::path& built, const std::filesystem::path& kept);

}  // namespace warpath::cli
