#pragma once

// The C++ compiler that warpath-cc calls.

#include <string>

#include "driver/options.h"

namespace simt::cc {

struct Compiler {
  std::string command;
  bool clang = false;  // else GCC: their options differ
};

// -ccbin, else $CXX, else g++.
Compiler find_compiler(const Options& options);

// Preprocessed text with files named as GCC does: a header beside the source is x.h. In clang's line
// markers it is ./x.h.
std::string with_plain_names(const std::string& preprocessed);

}  // namespace simt::cc
