// warpath debug with a rung of an op, or with a learner's file, in place of a program.
#pragma once
#include <string>
#include <vector>

namespace warpath::cli {

// True when the words of `debug` name an op, a rung of one, or a .cu file.
bool opens_rung(const std::vector<std::string>& words);

// Compiles it for gdb; returns the words for warpath-debug that run it in one case.
std::vector<std::string> rung_in_gdb(const std::vector<std::string>& words);

}  // namespace warpath::cli
