// Tables of facts that tests and benchmarks keep in files: what the programs of a folder show, and
// what was measured.
#pragma once
#include <filesystem>
#include <string>

namespace warpath::cli {

// One line per program of the folder: its name and the first sentence of the comment it begins
// with.
std::string program_table(const std::filesystem::path& folder,
                          const std::filesystem::path& link_from);

// A file of {"columns": […], "rows": [[…], …], "note": "…"}: texts are taken as they are, numbers are
// written with three digits.
std::string measured_table(const std::filesystem::path& file);

// One line per track of the course: its days, how many are open in this tree, what it is.
std::string course_table(const std::filesystem::path& root);

}  // namespace warpath::cli
