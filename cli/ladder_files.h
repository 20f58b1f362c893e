// The rungs of a ladder as files, read without a compiler.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace warpath::cli {

// The numbered files beside `rung` with the same prefix ("backward_"), itself among them, from the bottom up.
std::vector<std::filesystem::path> ladder_of(const std::filesystem::path& rung);

// The one above it; empty: it is the last, or no rung of the tree at `root`.
std::filesystem::path next_on_ladder(const std::filesystem::path& root,
                                     const std::filesystem::path& rung);

// The comment at the head of a file up to the first line that ends a sentence: what a rung is about.
std::string head_line(const std::filesystem::path& file);

}  // namespace warpath::cli
