#pragma once

// Checks of a command's input and output files, made before a compiler runs.

#include <string>

namespace simt::cc {

// What is wrong with an input, in a few words; empty when nothing is.
std::string problem_of_input(const std::string& path, bool is_source);
std::string problem_of_output(const std::string& path);

}  // namespace simt::cc
