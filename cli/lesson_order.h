// The order to learn in, from what each contract says it comes after.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/library.h"

namespace warpath::cli {

// The folders of the tree, each after those that its ops come after, otherwise by family and name.
// A folder whose host library is not built is placed as if it came after nothing.
std::vector<harness::OpFolder> lesson_order(const std::filesystem::path& root);

// "1. [elementwise](…): [vector_add](…), …", one line per family, in the order of its first op.
std::string lesson_list(const std::filesystem::path& root, const std::filesystem::path& page);

}  // namespace warpath::cli
