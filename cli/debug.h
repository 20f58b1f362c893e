// warpath debug with a rung of an op, or with a learner's file, in place of a program.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/library.h"

namespace warpath::cli {

// The file of a rung of an op by its name or the start of it: backward_03_warp.cu is 03_warp of softmax_backward.
std::filesystem::path rung_file(const harness::Places& places, const std::string& op,
                                const std::string& rung);

// True when the words of `debug` name an op, a rung of one, or a .cu file.
bool opens_rung(const std::vector<std::string>& words);

// Compiles it for gdb; returns the words for warpath-debug that run it: a rung or a kernel in one case, a program as it is.
std::vector<std::string> rung_in_gdb(const std::vector<std::string>& words);

}  // namespace warpath::cli
