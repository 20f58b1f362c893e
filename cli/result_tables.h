// Result files as Markdown tables. `page` is the folder that links are relative to.
#pragma once
#include <filesystem>
#include <string>

namespace warpath::cli {

// Rungs and peers down, cases and types across, one table per result file of the op's folder.
std::string op_table(const std::filesystem::path& op_folder, const std::string& op,
                     const std::filesystem::path& page);

// One line per op of a family and device: the best rung of every case, from the worst case to the best.
std::string best_table(const std::filesystem::path& family, const std::filesystem::path& page);

// One line per family, over all devices: its ops, and their worst and best cells.
std::string family_table(const std::filesystem::path& root, const std::filesystem::path& page);

}  // namespace warpath::cli
