// Which other files of its op a kernel file launches kernels of.
#pragma once
#include <filesystem>
#include <vector>

namespace warpath::cli {

// The .cu files that define functions which `file` calls and which a header of an op declares, and the files that those
// call in their turn. `root`: of the repository. Sorted; without `file`.
std::vector<std::filesystem::path> launched_files(const std::filesystem::path& root,
                                                  const std::filesystem::path& file);

}  // namespace warpath::cli
