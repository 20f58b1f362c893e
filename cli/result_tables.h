// Result files as Markdown tables.
#pragma once
#include <filesystem>
#include <string>

namespace warpath::cli {

// Rungs and peers down, cases and types across, one table a result file. `page` is the folder that
// links are seen from.
std::string op_table(const std::filesystem::path& root, const std::string& folder,
                     const std::string& op, const std::filesystem::path& page);

// One line an op and device: the best rung of every case, from the worst case to the best.
std::string best_table(const std::filesystem::path& root, const std::filesystem::path& page);

}  // namespace warpath::cli
