// Keeps the pages in step with the result files and the sources.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace warpath::cli {

// Rewrites the generated sections of the pages that show these folders of ops/; says which files
// changed.
std::vector<std::string> refresh_pages(const std::filesystem::path& root,
                                       const std::vector<std::string>& folders);

}  // namespace warpath::cli
