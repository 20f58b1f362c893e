#pragma once

#include <string>

#include "driver/options.h"

namespace simt::cc {

// C++ behind a program's text that tells the runtime, when the program is loaded, what its command
// line asked for: --check=LIST, --json, --timeout, --check --debug.
std::string startup_code(const Options& options);

}  // namespace simt::cc
